// The same library from C++: a world that frees itself, errors as exceptions, the energies of a bouncing ball.
// It needs the engine alone. Build: c++ -std=c++17 energy.cpp $(pkg-config --cflags --libs repose-core)
#include <cstdio>
#include <memory>
#include <stdexcept>

#include <repose/repose.h>

struct destroy {
    void operator()(rps_world *world) const {
        rps_world_destroy(world);
    }
};
using world_ptr = std::unique_ptr<rps_world, destroy>;

static rps_error err;
static void check(rps_status status) {
    if (status != RPS_OK) throw std::runtime_error(err.text);
}

static world_ptr make_world() {
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.gravity[2] = -9.81;
    rps_world *raw = nullptr;
    check(rps_world_create(&options, &raw, &err));
    return world_ptr(raw);
}

int main() try {
    world_ptr world = make_world();
    rps_material clay = rps_material_default();
    clay.name = "clay";
    clay.young = 1e6;
    clay.poisson = 0.3;
    clay.density = 2000.0;
    int material;
    check(rps_world_add_material(world.get(), &clay, &material, &err));
    rps_pair pair = rps_pair_default();
    check(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    check(rps_world_set_pair(world.get(), material, material, &pair, &err));
    rps_body_def ground = rps_body_plane(0, 0, 1), ball = rps_body_sphere(0.01);
    check(rps_world_add_body(world.get(), &ground, nullptr, &err));
    ball.position[2] = 0.05;
    check(rps_world_add_body(world.get(), &ball, nullptr, &err));

    rps_ledger ledger{};
    double most = 0.0;
    for (int k = 0; k < 100; k++) {
        check(rps_world_step(world.get(), 500, &err));
        check(rps_world_ledger(world.get(), &ledger, &err));
        if (ledger.kinetic_translation > most) most = ledger.kinetic_translation;
    }
    std::printf("largest kinetic energy %.6g J, residual %.2g J\n", most, ledger.residual);
    // Nothing dissipates: what the books lack is the error of the integrator alone.
    if (!(most > 0.0) || !(ledger.residual < 1e-3 * most && ledger.residual > -1e-3 * most)) return 1;

    // Errors say what was expected.
    ball.radius = -1.0;
    try {
        check(rps_world_add_body(world.get(), &ball, nullptr, &err));
        return 1;
    } catch (const std::exception &e) {
        std::printf("refused as it should be: %s\n", e.what());
    }
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
