#include "stage_worlds_common.h"

#include "../physics/bonded.h"

#include "world/share.h"

static rps_world_options options_for(const stage_manner *in, double step) {
    rps_world_options options = options_of(step);
    options.threads = in->threads;
    options.integrator = in->integrator;
    options.shuffle = in->shuffle;
    return options;
}

static rps_pair rough_pair(void) {
    rps_pair pair = tracked_pair();
    use(&pair, RPS_ROLE_DAMPING, "restitution", "value", 0.6, NULL);
    return pair;
}

/* So many spheres that all workers have some, on a disturbed lattice, with ids in no order of space. */
enum { SIDE = 13, GRAINS = SIDE * SIDE * SIDE };

static void add_grains(rps_world *world, double spacing, double speed) {
    for (uint64_t n = 0; n < GRAINS; n++) {
        const uint64_t k = n * 400 % GRAINS; /* 400 and 2197 have no common factor */
        const rps_vec3 x = {spacing * (double)(k % SIDE), spacing * (double)(k / SIDE % SIDE),
                            spacing * (double)(k / SIDE / SIDE)}; /* some cross the faces of the cell */
        add_ball(world, rps_vec3_add_scaled(x, 0.02 * spacing, random_vec(8, n)), spacing * uniform(11, n, 0.42, 0.505),
                 1e-2, rps_vec3_scale(random_vec(9, n), speed), rps_vec3_scale(random_vec(10, n), 50.0));
    }
}

rps_world *stage_gas(const stage_manner *in) {
    const double spacing = 0.01;
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < 3; k++) options.period[k] = SIDE * spacing;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_grains(world, spacing, 1.0);
    MUST(rps_world_set_common(world, GRAINS / 2, ERR));
    rps_world_keep_contacts(world, true);
    return world;
}

/* Spheres on a floor under a plane that seeks a load, beside a shaken wall; some held back, some under loads. */
rps_world *stage_press(const stage_manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    options.gravity[2] = -9.81;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    rps_body_def lid = rps_body_plane(0, 0, -1), wall = rps_body_plane(1, 0, 0);
    lid.kind = wall.kind = RPS_BODY_DRIVEN;
    lid.position[2] = 0.0825;
    lid.drive.kind = RPS_DRIVE_FORCE;
    lid.drive.target = 20.0;
    lid.drive.until = wall.drive.until = -1.0;
    wall.drive.amplitude[0] = 1e-3;
    wall.drive.frequency = 50.0;
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    MUST(rps_world_add_body(world, &wall, NULL, ERR));
    for (uint64_t n = 0; n < 64; n++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 0.01;
        def.mass = 0.02;
        to_array(def.position, rps_vec3_make(0.0099 + 0.02 * (double)(n % 4), 0.02 * (double)(n / 4 % 4),
                                             0.0099 + 0.0203 * (double)(n / 16)));
        if (n % 7 == 3) def.lock_axis[1] = 1.0;
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        const double force[3] = {0.2, 0.1, 0.0}, torque[3] = {0.0, 1e-4, 0.0};
        if (n % 5 == 1) MUST(rps_world_hold_load(world, id, force, torque, ERR));
        if (n % 5 == 2) MUST(rps_world_apply_load(world, id, force, torque, ERR));
    }
    rps_world_keep_contacts(world, true);
    return world;
}

/* A folded sheet apart from the others, and balls that fall on it: one into its fold, on two contacts that join. */
static void add_ramp(rps_world *world) {
    static const double point[6][3] = {{-0.2, -0.1, 0.2},   {-0.2, 0.1, 0.2},  {-0.15, -0.1, 0.195},
                                       {-0.15, 0.1, 0.195}, {-0.1, -0.1, 0.2}, {-0.1, 0.1, 0.2}};
    static const uint32_t triangle[4][3] = {{0, 2, 3}, {0, 3, 1}, {2, 4, 5}, {2, 5, 3}};
    rps_mesh_def def = rps_mesh_def_default();
    int number;
    def.point = point;
    def.points = 6;
    def.triangle = triangle;
    def.triangles = 4;
    MUST(rps_world_add_mesh(world, &def, &number, ERR));
    const rps_body_def body = rps_body_mesh(number);
    uint64_t id;
    MUST(rps_world_add_body(world, &body, &id, ERR));
    MUST(rps_world_want_loads(world, id, true, ERR));
    for (int n = 0; n < 4; n++) {
        add_ball(world, rps_vec3_make(-0.17 + 0.01 * n, 0.03 * (n - 2), n == 2 ? 0.2055 : 0.2085), 0.01, 0.01,
                 rps_vec3_make(0, 0, -0.5), rps_vec3_make(0, 20.0, 5.0));
    }
}

/* Boxes and pairs of spheres fall on a floor that shakes and turns. */
rps_world *stage_shapes(const stage_manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    options.gravity[2] = -9.81;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    rps_body_def floor = rps_body_plane(0, 0, 1);
    floor.kind = RPS_BODY_DRIVEN;
    floor.drive.until = -1.0;
    floor.drive.angular_velocity[0] = 0.2;
    floor.drive.surface_velocity[0] = 0.1;
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    add_ramp(world);
    for (uint64_t n = 0; n < 48; n++) {
        rps_body_def def = rps_body_def_default();
        rps_piece_def piece[2] = {rps_piece_def_default(), rps_piece_def_default()};
        if (n % 3 == 0) {
            def.shape = "box";
            for (int k = 0; k < 3; k++) def.parameter[k] = 0.012 + 0.002 * k;
        } else {
            for (int k = 0; k < 2; k++) {
                piece[k].shape = "sphere";
                piece[k].parameter[0] = 0.006;
                piece[k].position[0] = 0.006 * (k ? 1 : -1);
            }
            def.shape = NULL;
            def.piece = piece;
            def.pieces = 2;
        }
        def.mass = 0.03;
        to_array(def.position, rps_vec3_make(0.025 * (double)(n % 4), 0.025 * (double)(n / 4 % 4),
                                             0.0115 + 0.022 * (double)(n / 16)));
        to_array(def.velocity, rps_vec3_make(0, 0, -1));
        to_array(def.angular_velocity, rps_vec3_scale(random_vec(10, n), 20.0));
        const double force[3] = {0.2, 0.1, 0.0}, torque[3] = {0.0, 1e-4, 0.0};
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        if (in->threads > 1 && n % 5 == 1) MUST(rps_world_hold_load(world, id, force, torque, ERR));
    }
    return world;
}

/* Chains of four spheres or boxes that are pulled apart, sheared and break, some of overlapping bodies; some bodies are
 * driven. */
enum { BONDED = 1200 };

static void add_bonded(rps_world *world, uint64_t n) {
    rps_body_def def = rps_body_def_default();
    if (n % 20 < 4) {
        def.shape = "box";
        for (int k = 0; k < 3; k++) def.parameter[k] = 1.95e-3;
    } else {
        def.radius = 1e-3;
    }
    def.mass = 1e-5;
    to_array(def.position, rps_vec3_make(3e-3 * (double)(n / 4), 0, 1.97e-3 * (double)(n % 4)));
    to_array(def.velocity, rps_vec3_scale(random_vec(9, n), 0.1));
    def.velocity[2] = 0.2 * (double)(n % 4) * uniform(9, n, 0.5, 1.5);
    if (n % 40 == 12) {
        def.kind = RPS_BODY_DRIVEN;
        def.drive.until = -1.0;
        to_array(def.velocity, rps_vec3_zero());
        def.drive.velocity[2] = -0.2;
    }
    MUST(rps_world_add_body(world, &def, NULL, ERR));
}

static void stir(void *context, const rps_force_at *at, double force[3], double torque[3]) {
    (void)context;
    for (int k = 0; k < 3; k++) force[k] = -0.1 * at->position[k] - 0.01 * at->velocity[k];
    torque[0] = 1e-5;
}

/* Grains and boxes that a force stirs. */
rps_world *stage_forces(const stage_manner *in) {
    rps_force_def def = rps_force_def_default();
    rps_world *world = stage_shapes(in);
    def.name = "stirrer";
    def.load = stir;
    def.of_velocity = true;
    MUST(rps_world_add_force(world, &def, ERR));
    return world;
}

rps_world *stage_bonds(const stage_manner *in) {
    rps_world_options options = options_for(in, 4e-7);
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    for (uint64_t n = 0; n < BONDED; n++) add_bonded(world, n);
    for (uint64_t n = 0; n < BONDED; n++) {
        if (n % 4 == 3) continue;
        rps_bond_def def = beam(n, n + 1);
        MUST(rps_bond_set(&def, "damping", 0.1, ERR));
        if (n % 16 < 12) MUST(rps_bond_set(&def, "tensile_strength", uniform(12, n, 0.0, 2e7), ERR));
        if (n % 2 == 0) def.contact = RPS_BOND_CONTACT_NONE;
        MUST(rps_world_add_bond(world, &def, ERR));
    }
    return world;
}

rps_world *stage_sheared(const stage_manner *in) {
    const double spacing = 0.01;
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < 3; k++) options.period[k] = SIDE * spacing;
    options.shear = (rps_shear){.flow = 0, .gradient = 2, .rate = 40.0};
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_grains(world, spacing, 1.0);
    return world;
}

/* A double pendulum, a body on a rail, one on a shaft in two bearings, and a motor. */
static void add_linkage(rps_world *world) {
    uint64_t id[5];
    for (int k = 0; k < 5; k++) {
        id[k] = add_ball(world, rps_vec3_make(0.3 * k, -1.0, 0.6), 0.05, 1.0, rps_vec3_zero(), rps_vec3_zero());
    }
    static const rps_joint_kind kind[] = {RPS_JOINT_HINGE, RPS_JOINT_BALL,  RPS_JOINT_SLIDER,
                                          RPS_JOINT_HINGE, RPS_JOINT_HINGE, RPS_JOINT_MOTOR};
    for (int k = 0; k < 6; k++) {
        rps_joint_def def = rps_joint_def_default();
        def.kind = kind[k];
        def.body[0] = id[k < 4 ? k : k - 1];
        def.body[1] = k == 1 ? id[0] : RPS_JOINT_WORLD;
        to_array(def.point[0], rps_vec3_make(0.3 * (k < 4 ? k : k - 1) - 0.15, k == 4 ? -0.9 : -1.0, 0.6));
        to_array(def.axis, rps_vec3_make(0, k == 2 ? 0 : 1, k == 2 ? 1 : 0));
        def.friction = 0.1;
        if (kind[k] == RPS_JOINT_MOTOR) def.motion = (rps_joint_motion){.turns = true, .speed = 2.0, .until = -1.0};
        MUST(rps_world_add_joint(world, &def, NULL, ERR));
    }
}

/* Joints in the penalty stepper: the same, boxes that hang on a ball that shakes, one on a locked axis, with a load; balls fall on them,
 * and a lid seeks a load. */
rps_world *stage_linkage(const stage_manner *in) {
    const double edge[3] = {0.2, 0.1, 0.1}, force[3] = {0.2, 0.1, 0.0}, torque[3] = {0.0, 1e-2, 0.0};
    rps_world_options options = options_for(in, 1e-4);
    options.gravity[2] = -9.81;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    rps_body_def def = rps_body_def_default(), lid = rps_body_plane(0, 0, -1);
    def.radius = 0.05;
    def.kind = RPS_BODY_DRIVEN;
    def.drive.amplitude[0] = 0.02;
    def.drive.frequency = 5.0;
    def.drive.until = -1.0;
    uint64_t last;
    MUST(rps_world_add_body(world, &def, &last, ERR));
    for (int k = 0; k < 4; k++) {
        rps_body_def box = rps_body_def_default();
        box.shape = "box";
        memcpy(box.parameter, edge, sizeof edge);
        box.mass = 1.0;
        box.position[0] = 0.2 * k + 0.15;
        if (k == 2) box.lock_axis[1] = 1.0;
        uint64_t id;
        MUST(rps_world_add_body(world, &box, &id, ERR));
        if (k == 3) MUST(rps_world_hold_load(world, id, force, torque, ERR));
        rps_joint_def joint = rps_joint_def_default();
        joint.kind = k == 1 ? RPS_JOINT_MOTOR : RPS_JOINT_HINGE;
        joint.body[0] = id;
        joint.body[1] = last;
        joint.point[0][0] = 0.2 * k + 0.05;
        joint.axis[1] = 1.0;
        joint.friction = 0.1;
        if (k == 1) joint.motion = (rps_joint_motion){.turns = true, .speed = 1.0, .until = -1.0};
        if (k == 3) joint.stiffness = 5.0;
        if (k == 3) joint.limits[1] = 0.01;
        MUST(rps_world_add_joint(world, &joint, NULL, ERR));
        last = id;
    }
    add_linkage(world);
    lid.kind = RPS_BODY_DRIVEN;
    lid.drive.kind = RPS_DRIVE_FORCE;
    lid.drive.target = 20.0;
    lid.drive.until = -1.0;
    lid.position[2] = 0.85;
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    for (int k = 0; k < 5; k++) {
        add_ball(world, rps_vec3_make(0.15 * k + 0.15, 0.0, 0.1), 0.05, 0.5, rps_vec3_make(0, 0, -1.0),
                 rps_vec3_zero());
    }
    return world;
}

/* Spheres and boxes fall between plates onto each other; the upper plate seeks a load. */
rps_world *stage_plates(const stage_manner *in) {
    rps_world_options options = options_for(in, 1e-3);
    options.stepper = RPS_NONSMOOTH;
    options.gravity[2] = -9.81;
    options.period[1] = 3.0;
    options.guards.motion = 2.0;
    options.guards.rotation = 1.0;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    rps_body_def lid = rps_body_plane(0, 0, -1), floor = rps_body_plane(0, 0, 1);
    lid.kind = floor.kind = RPS_BODY_DRIVEN;
    lid.drive.kind = RPS_DRIVE_FORCE;
    lid.drive.target = 20.0;
    lid.position[2] = 0.85;
    floor.drive.amplitude[0] = 0.01;
    floor.drive.frequency = 8.0;
    floor.drive.angular_velocity[1] = 0.1;
    floor.drive.surface_velocity[1] = 0.1;
    floor.drive.until = 0.025;
    lid.drive.until = -1.0;
    add_ramp(world);
    MUST(rps_world_add_body(world, &lid, NULL, ERR));
    MUST(rps_world_add_body(world, &floor, NULL, ERR));
    for (uint64_t n = 0; n < 200; n++) {
        const double r = 0.05;
        rps_body_def def = rps_body_def_default();
        if (n % 8 == 0) {
            def.shape = "box";
            for (int k = 0; k < 3; k++) def.parameter[k] = 0.08 + 0.01 * k;
        } else {
            def.radius = r * uniform(11, n, 0.8, 0.99);
        }
        def.mass = 1.0;
        if (n % 11 == 1) def.lock_axis[1] = 1.0;
        to_array(def.position, rps_vec3_make(2.1 * r * (double)(n % 5), 2.1 * r * (double)(n / 5 % 5),
                                             0.99 * r + 1.95 * r * (double)(n / 25)));
        to_array(def.velocity, rps_vec3_scale(random_vec(9, n), 0.5));
        if (n % 11 == 1) def.velocity[1] = 0.0;
        uint64_t id;
        MUST(rps_world_add_body(world, &def, &id, ERR));
        const double force[3] = {2.0, 1.0, 0.0}, torque[3] = {0.0, 1e-2, 0.0};
        if (n % 5 == 1) MUST(rps_world_hold_load(world, id, force, torque, ERR));
        if (n % 5 == 2) MUST(rps_world_apply_load(world, id, force, torque, ERR));
    }
    add_linkage(world);
    rps_world_keep_contacts(world, true);
    return world;
}

/* Spheres with films that bounce on a floor and on each other; their bridges form and rupture. */
rps_world *stage_wet(const stage_manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    options.gravity[2] = -9.81;
    rps_pair pair = rough_pair();
    use(&pair, RPS_ROLE_BRIDGE, "willett", "largest", 1e-11, "surface_tension", 0.07, "viscosity", 1e-3, "roughness",
        1e-6, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    for (int k = 0; k < 4; k++) {
        rps_body_def def = rps_body_def_default();
        def.radius = 0.01;
        def.mass = 0.01;
        def.liquid = 1e-10;
        to_array(def.position, rps_vec3_make(0.0201 * (k % 2), 0.0, 0.01 + 0.0201 * (k / 2)));
        to_array(def.velocity, rps_vec3_make(k % 2 ? -1.0 : 1.0, 0.0, k / 2 ? -1.0 : 0.0));
        MUST(rps_world_add_body(world, &def, NULL, ERR));
    }
    return world;
}

/* Spheres that roll down the tilted floor under imposed loads, which act across small gaps. */
rps_world *stage_imposed(const stage_manner *in) {
    rps_world_options options = options_for(in, 5e-5);
    options.gravity[0] = 1.0;
    options.gravity[2] = -9.81;
    rps_pair pair = rough_pair();
    use(&pair, RPS_ROLE_DAMPING, "none", NULL);
    use(&pair, RPS_ROLE_NORMAL, "imposed", "load", 0.0, NULL);
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    for (int k = 0; k < 3; k++) {
        add_ball(world, rps_vec3_make(0.1 * k, 0, 0.01 + 0.002 * k), 0.01 + 0.002 * k, 0.01, rps_vec3_zero(),
                 rps_vec3_zero());
    }
    return world;
}

/* Guards that warn: a fast sphere, a deep overlap, one behind a plane, and a step beyond the stability limit. */
rps_world *stage_warned(const stage_manner *in) {
    rps_world_options options = options_for(in, 2e-5);
    for (int k = 0; k < RPS_GUARD_COUNT; k++) options.guards.action[k] = RPS_GUARD_WARN;
    const rps_pair pair = rough_pair();
    rps_world *world = world_of(&options, &pair);
    add_ground(world, rps_vec3_make(0, 0, 1));
    add_ball(world, rps_vec3_make(0, 0, 0.004), 0.01, 1e-3, rps_vec3_make(0, 0, -2), rps_vec3_zero());
    add_ball(world, rps_vec3_make(1, 0, 1), 0.01, 1e-3, rps_vec3_make(300, 0, 0), rps_vec3_make(0, 3e4, 0));
    return world;
}
