// Soft light for pictures: what is solid is drawn into a texture of twice the width and height. Four of its points make a pixel,
// which is darkened by what stands around the nearest of them (ambient occlusion from depths alone, after McGuire and others, The
// Alchemy Screen-Space Ambient Obscurance Algorithm, 2011). What is seen through comes last. Without a graphics card nearly all
// of the time goes into looking up depths, so that they are few.
import * as THREE from 'three';

export const FINE = 2; // points of a pixel each way; one lookup between four points gives their mean
const VEIL = 0.35; // of the opacity of walls
const fragment = `
uniform sampler2D image, depth;
uniform vec2 ends;
uniform vec4 lens; // of the projection: a place is (at + lens.zw) lens.xy depth, for at from -1 to 1
uniform float reach;
const mat2 next = mat2(-0.737369, 0.675490, -0.675490, -0.737369); // turns by the golden angle
ivec2 size;
vec2 grid, foot; // a place is (p grid + foot) depth, for a point p of the texture
vec3 place(ivec2 p) {
    float z = texelFetch(depth, clamp(p, ivec2(0), size - 1), 0).r, d = ends.x * ends.y / (ends.y - z * (ends.y - ends.x));
    return vec3((vec2(p) * grid + foot) * d, -d);
}
float random(ivec2 p) { return fract(52.9829189 * fract(dot(vec2(p), vec2(0.06711056, 0.00583715)))); }
float open(ivec2 p) {
    vec3 c = place(p), l = c - place(p - ivec2(1, 0)), r = place(p + ivec2(1, 0)) - c;
    vec3 d = c - place(p - ivec2(0, 1)), u = place(p + ivec2(0, 1)) - c;
    vec3 normal = normalize(cross(abs(l.z) < abs(r.z) ? l : r, abs(d.z) < abs(u.z) ? d : u));
    float wide = clamp(0.5 * reach / (-c.z * lens.y) * float(size.y), 3.0, 200.0), sum = 0.0;
    float turn = 6.2831853 * random(p / FINE), fade = 1.0 / (4.0 * reach * reach);
    vec2 way = wide * vec2(cos(turn), sin(turn));
    for (int k = 0; k < TAPS; k++) {
        vec3 v = place(p + ivec2(sqrt((float(k) + 0.5) / float(TAPS)) * way)) - c;
        float square = dot(v, v);
        sum += max(dot(v, normal) * inversesqrt(square + 1e-20) - 0.12, 0.0) * max(1.0 - square * fade, 0.0);
        way = next * way;
    }
    return max(1.0 - 1.5 * sum / float(TAPS), 0.25);
}
void main() {
    size = textureSize(image, 0);
    grid = 2.0 / vec2(size) * lens.xy;
    foot = (1.0 / vec2(size) - 1.0 + lens.zw) * lens.xy;
    ivec2 nearest = ivec2(gl_FragCoord.xy) * FINE;
    float least = 1.0, solid = 0.0;
    for (int j = 0; j < FINE; j++) for (int i = 0; i < FINE; i++) {
        ivec2 p = ivec2(gl_FragCoord.xy) * FINE + ivec2(i, j);
        float z = texelFetch(depth, p, 0).r;
        if (z < 1.0) solid += 1.0 / float(FINE * FINE);
        if (z < least) nearest = p;
        least = min(z, least);
    }
    vec3 mean = textureLod(image, gl_FragCoord.xy * float(FINE) / vec2(size), 0.0).rgb, ground = vec3(1.0 - solid);
    float light = 1.0;
    if (least < 1.0) light = open(nearest);
    gl_FragColor = vec4((mean - ground) * light + ground, 1.0);
    gl_FragDepth = least;
}`;

export class Soft {
    constructor(renderer) {
        this.renderer = renderer;
        this.target = new THREE.WebGLRenderTarget(1, 1, {
            minFilter: THREE.LinearFilter,
            magFilter: THREE.LinearFilter,
        });
        this.target.depthTexture = new THREE.DepthTexture(1, 1, THREE.FloatType);
        this.material = new THREE.ShaderMaterial({
            vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
            fragmentShader: fragment,
            defines: { FINE, TAPS: 16 },
            depthFunc: THREE.AlwaysDepth,
            uniforms: {
                image: { value: this.target.texture },
                depth: { value: this.target.depthTexture },
                ends: { value: new THREE.Vector2() },
                lens: { value: new THREE.Vector4() },
                reach: { value: 1 },
            },
        });
        const square = new THREE.BufferGeometry();
        square.setAttribute(
            'position',
            new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
        );
        const mesh = new THREE.Mesh(square, this.material);
        mesh.frustumCulled = false;
        this.square = new THREE.Scene();
        this.square.add(mesh);
    }
    // late: objects that are seen through; top: those that only hide each other; walls: uniforms of the walls among `late`, which
    // are thinner before what is solid.
    draw(world, camera, late, top, reach, walls) {
        const {
                renderer,
                target,
                material: { uniforms },
            } = this,
            size = renderer.getDrawingBufferSize(new THREE.Vector2());
        const all = [...world.children],
            seen = all.map((o) => o.visible);
        const only = (chosen) =>
            all.forEach((o, k) => {
                o.visible = seen[k] && chosen(o);
            });
        const lens = camera.projectionMatrix.elements;
        target.setSize(FINE * size.x, FINE * size.y);
        uniforms.ends.value.set(camera.near, camera.far);
        uniforms.lens.value.set(1 / lens[0], 1 / lens[5], lens[8], lens[9]);
        uniforms.reach.value = reach;
        renderer.setClearColor(0xffffff, 1);
        only((o) => !late.includes(o) && !top.includes(o));
        renderer.setRenderTarget(target);
        renderer.render(world, camera);
        renderer.setRenderTarget(null);
        renderer.render(this.square, camera);
        renderer.autoClear = false;
        only((o) => late.includes(o));
        walls.veil.value = VEIL;
        walls.behind.value = target.depthTexture;
        renderer.render(world, camera);
        walls.veil.value = 1;
        walls.behind.value = null; // no texture is read that is drawn into
        renderer.clearDepth();
        only((o) => top.includes(o));
        renderer.render(world, camera);
        renderer.autoClear = true;
        only(() => true);
    }
}
