// Shaders of the picture. A sphere is a square that faces the camera and whose inner circle is the outline; each pixel finds
// where its ray meets the sphere, so that depth and outline are exact. With r the radius, d the distance of the middle and q the
// square of the place in the square, the ray is d sqrt(1 + q r^2/(d^2 - r^2)) long up to there; lens holds r^2/(d^2 - r^2),
// d^2/(d^2 - r^2), r/d and 1/r. A chain is a strip between the ends of a contact, turned to the camera, and so is the stick of a
// bond, which has the depth of a round one. All are cut by one plane: places with dot(cut.xyz, place) > cut.w are left out,
// spheres, chains and sticks as wholes.
// soft: 1 for pictures, whose shadows soft.js draws; 0 for the page.
import { CORNER } from './quads.js';
import { FINE } from './soft.js';

const LIGHT = `
uniform float soft;
float lit(vec3 normal) {
    float light = dot(normal, normalize(vec3(0.3, 0.5, 0.8)));
    return mix(0.35 + 0.65 * max(light, 0.0), 0.7 + 0.35 * light, soft);
}
const vec3 chosenShade = vec3(1.0, 0.35, 0.0);`;

const MAP = `
uniform vec3 stops[5]; uniform vec2 range;
vec3 mapped(float value) {
    if (value > 1e38) return value > 2.5e38 ? vec3(0.62, 0.67, 0.72) : vec3(0.86, 0.87, 0.88); // see arrange.js
    float x = 4.0 * clamp((value - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    int k = int(min(floor(x), 3.0));
    return mix(stops[k], stops[k + 1], x - float(k));
}`;

export const sphere = {
    vertexShader: `${MAP}${CORNER}
attribute vec4 sphere; attribute float value;
uniform vec4 cut; uniform int chosen; uniform float shrink;
varying vec3 at; varying vec2 place;
flat varying vec3 middle, shade; flat varying vec4 lens; flat varying float mark;
void main() {
    middle = (modelViewMatrix * vec4(sphere.xyz, 1.0)).xyz;
    float size = sphere.w * shrink, square = dot(middle, middle), under = max(square - size * size, 1e-12 * square);
    shade = mapped(value); mark = quad() == chosen ? 1.0 : 0.0;
    lens = vec4(size * size / under, square / under, size / sqrt(square), 1.0 / size);
    vec3 to = normalize(-middle), side = normalize(cross(vec3(0.0, 1.0, 0.0), to)), up = cross(to, side);
    place = corner();
    at = middle + size * sqrt(lens.y) * (place.x * side + place.y * up);
    bool out_of = dot(cut.xyz, sphere.xyz) > cut.w;
    gl_Position = out_of ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(at, 1.0);
}`,
    fragmentShader: `${LIGHT}
uniform mat4 projectionMatrix;
varying vec3 at; varying vec2 place;
flat varying vec3 middle, shade; flat varying vec4 lens; flat varying float mark;
void main() {
    float q = dot(place, place), share = 1.0 / (1.0 + lens.x * q), under = 1.0 - lens.y * q * share;
    if (under < 0.0) discard;
    float facing = sqrt(under);
    vec3 hit = at * (share - lens.z * facing * sqrt(share)), normal = (hit - middle) * lens.w;
    gl_FragDepth = 0.5 - 0.5 * (projectionMatrix[2].z + projectionMatrix[3].z / hit.z);
    bool rim = mark > 0.5 && facing < 0.55;
    float edge = 0.65 + 0.35 * smoothstep(0.0, 0.45, facing);
    gl_FragColor = rim ? vec4(chosenShade, 1.0) : vec4(shade * lit(normal) * edge, 1.0);
}`,
};

// A corner of a triangle knows its value, the row of its body and, where the surface is round, its normal. Elsewhere the
// triangle is a face with edges. veil: what is left of the opacity where something solid stands behind, by its depths `behind`.
export const surface = {
    vertexShader: `${MAP}
attribute vec2 tag;
uniform vec4 wall;
varying vec3 seen, world, round, shade; varying float row;
void main() {
    world = position; shade = wall.w > 0.5 ? wall.xyz : mapped(tag.x); row = tag.y;
    vec4 at = modelViewMatrix * vec4(position, 1.0);
    seen = at.xyz; round = normalMatrix * normal;
    gl_Position = projectionMatrix * at;
}`,
    fragmentShader: `${LIGHT}
uniform vec4 cut; uniform float opacity, veil; uniform int chosen; uniform sampler2D behind;
varying vec3 seen, world, round, shade; varying float row;
void main() {
    if (dot(cut.xyz, world) > cut.w) discard;
    vec3 face = normalize(cross(dFdx(seen), dFdy(seen))), normal = face;
    if (dot(round, round) > 0.3) {
        vec3 smoothed = normalize(round);
        normal = smoothed * sign(dot(smoothed, face));
    }
    if (dot(normal, seen) > 0.0) normal = -normal;
    bool mark = chosen >= 0 && abs(row - float(chosen)) < 0.5;
    bool covers = veil < 1.0 && texelFetch(behind, ${FINE} * ivec2(gl_FragCoord.xy), 0).r < 1.0;
    gl_FragColor = vec4(mix(shade, chosenShade, mark ? 0.6 : 0.0) * lit(normal), covers ? veil * opacity : opacity);
}`,
};

export const chain = {
    vertexShader: `${MAP}${CORNER}
attribute vec3 from, to; attribute float share;
uniform vec4 cut; uniform float wide, soft;
varying vec3 shade; varying float across;
void main() {
    vec3 a = (modelViewMatrix * vec4(from, 1.0)).xyz, b = (modelViewMatrix * vec4(to, 1.0)).xyz;
    vec2 place = corner();
    vec3 at = mix(a, b, 0.5 + 0.5 * place.y), side = normalize(cross(b - a, at));
    shade = mix(vec3(1.0, 0.85 * (1.0 - share), 0.15), mapped(share), soft); across = place.x;
    bool out_of = dot(cut.xyz, from) > cut.w || dot(cut.xyz, to) > cut.w;
    at += wide * (0.05 + 0.4 * sqrt(share)) * place.x * side;
    gl_Position = out_of ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(at, 1.0);
}`,
    fragmentShader: `
varying vec3 shade; varying float across;
void main() { gl_FragColor = vec4(shade * (1.0 - 0.5 * across * across), 1.0); }`,
};

export const stick = {
    vertexShader: `${MAP}${CORNER}
attribute vec3 from, to; attribute float value;
uniform vec4 cut; uniform float wide;
varying vec3 shade, seen; varying float across;
void main() {
    vec3 a = (modelViewMatrix * vec4(from, 1.0)).xyz, b = (modelViewMatrix * vec4(to, 1.0)).xyz;
    vec2 place = corner();
    vec3 at = mix(a, b, 0.5 + 0.5 * place.y), side = normalize(cross(b - a, at));
    shade = mapped(value); across = place.x;
    bool out_of = dot(cut.xyz, from) > cut.w || dot(cut.xyz, to) > cut.w;
    seen = at + wide * place.x * side;
    gl_Position = out_of ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * vec4(seen, 1.0);
}`,
    fragmentShader: `
uniform mat4 projectionMatrix; uniform float wide;
varying vec3 shade, seen; varying float across;
void main() {
    float high = sqrt(max(1.0 - across * across, 0.0));
    vec4 clip = projectionMatrix * vec4(seen - wide * high * normalize(seen), 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    gl_FragColor = vec4(shade * (0.4 + 0.6 * high), 1.0);
}`,
};
