// Shaders of the picture. A sphere is a square that faces the camera; each pixel finds where its ray meets the sphere, so that depth
// and outline are exact. A chain is a strip between the ends of a contact, turned to the camera. All cut by one plane: what
// has dot(cut.xyz, place) > cut.w is left out, spheres and chains as wholes.
const LIGHT = `
float lit(vec3 normal) { return 0.35 + 0.65 * max(dot(normal, normalize(vec3(0.3, 0.5, 0.8))), 0.0); }`;

export const sphere = {
    vertexShader: `
attribute vec4 sphere; attribute vec3 tint;
uniform vec4 cut; uniform int chosen;
varying vec3 at, middle, shade; varying float size, mark;
void main() {
    middle = (modelViewMatrix * vec4(sphere.xyz, 1.0)).xyz;
    size = sphere.w; shade = tint; mark = gl_InstanceID == chosen ? 1.0 : 0.0;
    vec3 to = normalize(-middle), side = normalize(cross(vec3(0.0, 1.0, 0.0), to)), up = cross(to, side);
    float far = length(middle), wide = size * far / sqrt(max(far * far - size * size, 1e-12 * far * far));
    at = middle + wide * (position.x * side + position.y * up);
    gl_Position = dot(cut.xyz, sphere.xyz) > cut.w ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(at, 1.0);
}`,
    fragmentShader: `${LIGHT}
uniform mat4 projectionMatrix;
varying vec3 at, middle, shade; varying float size, mark;
void main() {
    vec3 ray = normalize(at);
    float along = dot(ray, middle), under = along * along - dot(middle, middle) + size * size;
    if (under < 0.0) discard;
    vec3 place = ray * (along - sqrt(under)), normal = (place - middle) / size;
    vec4 clip = projectionMatrix * vec4(place, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    bool rim = mark > 0.5 && dot(normal, -ray) < 0.55;
    gl_FragColor = rim ? vec4(1.0, 0.35, 0.0, 1.0) : vec4(shade * lit(normal), 1.0);
}`,
};

export const surface = {
    vertexShader: `
attribute vec3 tint;
varying vec3 seen, world, shade;
void main() {
    world = position; shade = tint;
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    seen = at.xyz;
    gl_Position = projectionMatrix * at;
}`,
    fragmentShader: `${LIGHT}
uniform vec4 cut; uniform float opacity;
varying vec3 seen, world, shade;
void main() {
    if (dot(cut.xyz, world) > cut.w) discard;
    vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
    if (dot(normal, seen) > 0.0) normal = -normal;
    gl_FragColor = vec4(shade * lit(normal), opacity);
}`,
};

export const chain = {
    vertexShader: `
attribute vec3 from, to, tint; attribute float wide;
uniform vec4 cut;
varying vec3 shade; varying float across;
void main() {
    vec3 a = (modelViewMatrix * vec4(from, 1.0)).xyz, b = (modelViewMatrix * vec4(to, 1.0)).xyz;
    vec3 at = mix(a, b, position.y), side = normalize(cross(b - a, at));
    shade = tint; across = position.x;
    bool out_of = dot(cut.xyz, from) > cut.w || dot(cut.xyz, to) > cut.w;
    gl_Position = out_of ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(at + wide * position.x * side, 1.0);
}`,
    fragmentShader: `
varying vec3 shade; varying float across;
void main() { gl_FragColor = vec4(shade * (1.0 - 0.5 * across * across), 1.0); }`,
};
