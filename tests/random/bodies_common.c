/* Shapes, walls, obstacles, what stands on the floor, and how they move. */
#include <math.h>
#include <string.h>

#include "writer_common.h"

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static void put_turn(writer *w) {
    const three axis = draw_three(w, 1.0, 1.0, 1.0);
    const double angle = draw(w, -180.0, 180.0);
    put(w, "{");
    put_three(w, "axis", axis);
    put(w, ", angle: %.17g deg}", angle);
}

void put_orientation(writer *w) {
    const int how = pick(w, 3);
    put(w, ", orientation: ");
    if (how == 0) {
        const three v = draw_three(w, 1.0, 1.0, 1.0);
        const double size = sqrt(1.0 + v.x * v.x + v.y * v.y + v.z * v.z);
        put(w, "[%.17g, %.17g, %.17g, %.17g]", 1.0 / size, v.x / size, v.y / size, v.z / size);
        return;
    }
    if (how == 2) put(w, "[");
    put_turn(w);
    if (how == 2) put(w, ", ");
    if (how == 2) put_turn(w);
    if (how == 2) put(w, "]");
}

static void put_single(writer *w, const char *shape, double size) {
    const double a = size * draw(w, 0.6, 1.0), b = size * draw(w, 0.6, 1.0), c = size * draw(w, 0.6, 1.0);
    if (strcmp(shape, "sphere") == 0 || strcmp(shape, "disk") == 0) {
        put(w, "{%s: {radius: %.17g}}", shape, a);
    } else if (strcmp(shape, "ellipsoid") == 0) {
        put(w, "{ellipsoid: {semi_axes: [%.17g, %.17g, %.17g]}}", a, b, c);
    } else if (strcmp(shape, "superquadric") == 0) {
        const double e = draw(w, 2.0, 4.0), f = draw(w, 2.0, 4.0);
        put(w, "{superquadric: {semi_axes: [%.17g, %.17g, %.17g], exponents: [%.17g, %.17g]}}", a, b, c, e, f);
    } else if (strcmp(shape, "cylinder") == 0) {
        put(w, "{cylinder: {radius: %.17g, length: %.17g}}", 0.7 * a, 1.4 * b);
    } else if (strcmp(shape, "capsule") == 0) {
        put(w, "{capsule: {radius: %.17g, length: %.17g}}", 0.5 * a, b);
    } else {
        const double rounding = chance(w, 0.5) ? 0.1 * size : 0.0;
        put(w, "{box: {size: [%.17g, %.17g, %.17g]", a, b, c);
        if (rounding > 0.0) put(w, ", rounding: %.17g", rounding);
        put(w, "}}");
    }
}

/* A wall without thickness, about as wide. */
static void put_sheet(writer *w, double size) {
    const double a = size * draw(w, 0.6, 1.0), b = size * draw(w, 0.6, 1.0), c = draw(w, 0.2, 1.2);
    const int ends = pick(w, 3);
    switch (pick(w, 7)) {
    case 0:
        put(w, "{cylinder_wall: {radius: %.17g, length: %.17g, ends: %d}}", a, b, ends);
        break;
    case 1:
        put(w, "{cone_wall: {radius: %.17g, radius_2: %.17g, length: %.17g, ends: %d}}", a, 0.5 * b, b, ends);
        break;
    case 2:
        put(w, "{sphere_wall: {radius: %.17g, opening: %.17g}}", a, c);
        break;
    case 3:
        put(w, "{torus_wall: {radius: %.17g, tube: %.17g, from: %.17g, to: %.17g}}", a, 0.3 * b, c, 4.0 * c + 0.1);
        break;
    case 4:
        put(w, "{disk_wall: {radius: %.17g, hole: %.17g}}", a, ends > 0 ? 0.4 * b : 0.0);
        break;
    case 5:
        put(w, "{rectangle: {x: %.17g, y: %.17g}}", 2.0 * a, b);
        break;
    default:
        put(w, "{triangle: {second: [%.17g, 0, %.17g], third: [%.17g, %.17g, 0]}}", a, 0.3 * b, 0.2 * a, b);
        break;
    }
}

static const char shapes[] = "sphere|sphere|ellipsoid|superquadric|cylinder|capsule|box";

static void put_pieces(writer *w, double size) {
    const int count = 2 + pick(w, 2);
    put(w, "pieces: [");
    for (int k = 0; k < count; k++) {
        const bool other = chance(w, 0.15);
        put(w, "%s{shape: ", k ? ", " : "");
        put_single(w, chance(w, 0.6) ? "sphere" : word_of(w, shapes), 0.6 * size);
        const double y = 0.2 * size * k;
        put(w, ", position: [%.17g, %.17g, 0]", (0.7 * k - 0.4) * size, y);
        if (chance(w, 0.3)) put_orientation(w);
        put(w, "%s}", other ? ", material: wall" : "");
    }
    put(w, "]");
}

bool put_shape(writer *w, double size, bool pieces) {
    if (pieces && !w->scene->planar && chance(w, 0.15)) {
        put_pieces(w, size);
        return true;
    }
    put(w, "shape: ");
    put_single(w, w->scene->planar ? "disk" : word_of(w, shapes), size);
    return false;
}

/* --- drives ------------------------------------------------------------------------------------------------------- */

void put_motion(writer *w, double size, bool turns) {
    put(w, "{");
    if (chance(w, 0.4)) {
        const three amplitude = draw_three(w, 0.2 * size, 0.2 * size, 0.1 * size);
        put_three(w, "amplitude", amplitude);
        put(w, ", frequency: %.17g", draw(w, 0.2, 1.0) / w->until);
        put_maybe(w, 0.4, "phase", -3.0, 3.0);
    } else {
        put_three(w, "velocity", draw_three(w, 0.4 * w->speed, 0.4 * w->speed, 0.1 * w->speed));
    }
    if (turns && chance(w, 0.4)) {
        const three turn = draw_three(w, w->scene->planar ? 0.0 : 0.3, 0.3, w->scene->planar ? 0.0 : 0.3);
        put(w, ", angular_velocity: [%.17g, %.17g, %.17g]", turn.x / w->until, turn.y / w->until, turn.z / w->until);
    }
    put_maybe(w, 0.3, "from", 0.1 * w->until, 0.5 * w->until);
    put_maybe(w, 0.3, "until", 0.5 * w->until, w->until);
    put(w, "}");
}

/* A servo that pushes with some force or pressure. */
static void put_servo(writer *w, const char *name, bool walls, const char *direction) {
    const bool planar = w->scene->planar;
    const double force = draw(w, 0.01, 0.1), area = planar ? BOX * 4e-3 : BOX * BOX;
    const int how = pick(w, 3);
    if (how == 0) {
        put(w, "{force: %.17g", force);
    } else if (how == 1 && walls) {
        put(w, "{pressure: %.17g, over: [wall00, wall01%s]", force / area, planar ? "" : ", wall10, wall11");
    } else {
        put(w, "{pressure: %.17g, %s: %.17g", force / area, planar ? "length" : "area", planar ? BOX : area);
    }
    if (chance(w, 0.3)) put(w, ", direction: %s", direction);
    put_maybe(w, 0.8, "speed", 0.1 * w->speed, 0.4 * w->speed);
    put_maybe(w, 0.4, "gain", 0.01, 0.2);
    put_maybe(w, 0.4, "stiffness", 100.0, 1e4);
    put(w, "}");
    w->servo = name;
}

/* --- walls -------------------------------------------------------------------------------------------------------- */

static void put_wall(writer *w, int axis, int side, bool pushes) {
    const double sign = side ? -1.0 : 1.0, at = side ? BOX : 0.0;
    put(w, "  - {name: wall%d%d, shape: {plane: {normal: [%g, %g, 0], point: [%.17g, %.17g, 0]}}, material: wall, ",
        axis, side, axis ? 0.0 : sign, axis ? sign : 0.0, axis ? 0.0 : at, axis ? at : 0.0);
    if (!pushes) {
        put(w, "fixed: true}\n");
        return;
    }
    put(w, "drive: ");
    if (side == 0)
        put_servo(w, "wall00", false, "[1, 0, 0]");
    else
        put(w, "{mirror: wall00, direction: [1, 0, 0]}");
    put(w, "}\n");
}

static void put_lid(writer *w, double height) {
    const bool walls = !w->periodic[0] && (w->scene->planar || !w->periodic[1]);
    w->lid = !w->scene->imposed && chance(w, 0.4);
    if (!w->lid) return;
    put(w,
        "  - {name: lid, shape: {plane: {normal: [0, 0, -1], point: [0, 0, %.17g]}}, material: wall, drive: ", height);
    if (chance(w, 0.5))
        put_servo(w, "lid", walls, "[0, 0, -1]");
    else
        put(w, "{velocity: [0, 0, %.17g]}", -0.3 * w->speed);
    put(w, "}\n");
}

static void put_walls(writer *w) {
    put(w, "bodies:\n  - {name: floor, shape: {plane: {normal: [0, 0, 1]%s}}, material: wall, ",
        chance(w, 0.3) ? ", point: [0, 0, 0]" : "");
    if (chance(w, 0.3)) {
        put(w, "drive: ");
        put_motion(w, GRAIN, false);
        put(w, "}\n");
    } else {
        put(w, "fixed: true}\n");
    }
    const bool pushes = !w->periodic[0] && chance(w, 0.15);
    for (int axis = 0; axis < (w->scene->planar ? 1 : 2); axis++) {
        for (int side = 0; side < 2 && !w->periodic[axis]; side++) put_wall(w, axis, side, pushes && axis == 0);
    }
}

/* --- what lies below the grains ----------------------------------------------------------------------------------- */

static void put_obstacles(writer *w) {
    for (int k = 0; k < 2; k++) {
        if (w->scene->planar || w->scene->imposed || !chance(w, 0.4)) continue; /* in the middle of four grains */
        put(w, "  - {name: obstacle%d, ", w->obstacles++);
        if (chance(w, 0.3)) { /* spheres meet it; most other grains are refused */
            put(w, "shape: ");
            put_sheet(w, 0.6 * GRAIN);
        } else {
            put_shape(w, 0.6 * GRAIN, true);
        }
        put(w, ", material: wall, position: [%.17g, %.17g, %.17g]", (k ? 3.0 : 1.0) * SPACING, 4.0 * SPACING,
            0.5 * SPACING);
        if (chance(w, 0.3)) put_orientation(w);
        if (chance(w, 0.5)) {
            put(w, ", fixed: true}\n");
        } else {
            put(w, ", drive: ");
            put_motion(w, GRAIN, true);
            put(w, "}\n");
        }
    }
}

/* A shelf above the grains: as long as the box, about that or far longer, so that it reaches across a period. It meets walls, the
 * lid and the obstacles, and touches them if the lid seeks a load or the scene asks for it. */
static void put_shelf(writer *w) {
    static const double length[3] = {0.9, 1.0, 1.7};
    w->shelf = !w->scene->planar && !w->scene->joints && !w->scene->imposed && chance(w, 0.3);
    if (!w->shelf) return;
    const double wide = length[pick(w, 3)] * BOX, x = draw(w, 0.3, 0.7) * BOX, y = draw(w, 0.0, 1.0) * BOX;
    put(w, "  - {name: shelf, shape: {box: {size: [%.17g, %.17g, %.17g]}}, material: wall, ", 0.4 * BOX, wide,
        0.3 * SPACING);
    put(w, "position: [%.17g, %.17g, %.17g], ", x, y, w->top - 0.5 * SPACING);
    if (chance(w, 0.5)) {
        put(w, "fixed: true}\n");
    } else {
        put(w, "drive: ");
        put_motion(w, GRAIN, true);
        put(w, "}\n");
    }
}

/* Free bodies on the floor, apart from each other, placed by the program; the last on two of them. */
static void put_guests(writer *w) {
    for (int k = 0; k < w->guests; k++) {
        const double x = (1.5 + k) * SPACING, y = w->scene->planar ? 0.0 : SPACING, radius = 0.4 * SPACING;
        put(w, "  - {name: guest%d, shape: {%s: {radius: %.17g}}, material: marble, ", k,
            w->scene->planar ? "disk" : "sphere", radius);
        if (k == 3 && !w->scene->planar) {
            put(w, "place: {%s: [guest0, guest1], at: [%.17g, %.17g, 1]}", chance(w, 0.5) ? "touch" : "rest on",
                2.0 * SPACING, y);
        } else if (chance(w, 0.4)) {
            put(w, "place: {rest on: %s, at: [%.17g, %.17g, 1 cm]", chance(w, 0.5) ? "floor" : "[floor]", x, y);
            put_maybe(w, 0.5, "load", 1e-4, 1e-3);
            put(w, "}");
        } else {
            put(w, "place: {touch: floor, at: [%.17g, %.17g, 1 cm]", x, y);
            put_maybe(w, 0.5, "gap", 0.0, 1e-4);
            if (chance(w, 0.3)) put(w, ", above: [0, 0, 1]");
            put(w, "}");
        }
        const bool locked = chance(w, 0.15);
        const double mass = draw(w, 1e-5, 1e-4), turn = locked ? 0.0 : draw(w, -0.3, 0.3);
        put(w, ", mass: %.17g", mass);
        if (chance(w, 0.3)) put(w, ", inertia: %.17g", mass * 1e-6);
        if (locked) put(w, ", locked: true");
        if (chance(w, 0.15)) put(w, ", lock_axis: [0, 0, 1]");
        put(w, ", ");
        put_three(w, "velocity", draw_three(w, 0.3 * w->speed, 0.3 * w->speed, 0.0));
        put(w, ", angular_velocity: [0, %.17g, 0]}\n", turn / w->until);
    }
}

/* --- joints ------------------------------------------------------------------------------------------------------- */

enum { LINKS = 3 };

/* A chain of three above the grains, held by joints. */
static void put_chain(writer *w, double height) {
    const double y = w->scene->planar ? 0.0 : 0.5 * BOX;
    for (int k = 0; k < LINKS; k++) {
        put(w, "  - {name: link%d, ", k);
        put_shape(w, GRAIN, false);
        put(w, ", material: grain, position: [%.17g, %.17g, %.17g], ", 0.3 * BOX + 1.1 * SPACING * k, y, height);
        put_three(w, "velocity", draw_three(w, 0.2 * w->speed, 0.2 * w->speed, 0.0));
        put(w, "}\n");
    }
}

static void put_motor(writer *w, char *free) {
    const bool turns = chance(w, 0.5);
    strcpy(free, turns ? "t" : "s");
    const double size = turns ? 0.3 : 0.3 * GRAIN, rate = draw(w, -1.0, 1.0) * size / w->until;
    put(w, ", axis: [%g, %g, 0], drive: {", turns ? 0.0 : 1.0, turns ? 1.0 : 0.0);
    if (chance(w, 0.5)) {
        put(w, "%s: %.17g", turns ? "angular_velocity" : "velocity", rate);
    } else {
        put(w, "%s: %.17g", turns ? "angular_amplitude" : "amplitude", 0.2 * size);
        put(w, ", frequency: %.17g", draw(w, 0.2, 1.0) / w->until);
        put_maybe(w, 0.5, "phase", -3.0, 3.0);
    }
    if (chance(w, 0.3)) put(w, ", max_load: %.17g %s", pow(10.0, draw(w, -6.0, -2.0)), turns ? "N m" : "N");
    put_maybe(w, 0.3, "from", 0.1 * w->until, 0.4 * w->until);
    put_maybe(w, 0.3, "until", 0.5 * w->until, w->until);
    put(w, "}");
}

/* Stops and a spring along a coordinate. */
static void put_ends(writer *w, bool turns) {
    const double size = turns ? 0.3 : 0.3 * GRAIN;
    if (chance(w, 0.4)) {
        put(w, ", limits: [");
        if (chance(w, 0.3))
            put(w, "none, ");
        else
            put(w, "%.17g, ", -draw(w, 0.0, size));
        put(w, "%.17g]", draw(w, 0.1 * size, size));
        put_maybe(w, 0.6, "restitution", 0.0, 1.0);
    }
    if (!chance(w, 0.4)) return;
    if (chance(w, 0.3)) {
        const double load = pow(10.0, draw(w, -4.0, -1.0));
        put(w, ", spring: {table: [[%.17g, %.17g], [0, 0], [%.17g, %.17g]]}", -size, load, size,
            -draw(w, 0.1, 3.0) * load);
        return;
    }
    put(w, ", spring: {stiffness: %.17g %s", pow(10.0, draw(w, -3.0, 1.0)), turns ? "N m/rad" : "N/m");
    if (chance(w, 0.5)) put(w, ", damping: %.17g %s", pow(10.0, draw(w, -6.0, -2.0)), turns ? "N m s/rad" : "N s/m");
    put_maybe(w, 0.5, "rest", -size, size);
    put(w, "}");
}

/* Axes of the kinds of space, and what acts along their coordinates. */
static void put_spatial(writer *w, const char *type, char *free) {
    static const struct {
        const char *type, *keys, *free, *more;
    } kind[] = {{"universal", "axis: [0, 1, 0], second_axis: [0, 0, 2]", "tt", "t"},
                {"cylindrical", "axis: [1, 0, 0]", "st", "t"},
                {"screw", "axis: [1, 0, 0], pitch: 2 mm", "ts", ""},
                {"planar", "axis: [0, 0, 1], second_axis: [1, 1, 0]", "tss", "ss"}};
    static const char *const which[2] = {"second", "third"};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        if (strcmp(kind[k].type, type) != 0) continue;
        put(w, ", %s", kind[k].keys);
        strcpy(free, kind[k].free);
        put_ends(w, *kind[k].free == 't');
        for (const char *c = kind[k].more; *c; c++) {
            if (chance(w, 0.5)) continue;
            put(w, ", %s: {friction: 1e-5", which[c - kind[k].more]);
            put_ends(w, *c == 't');
            put(w, "}");
        }
    }
}

void put_joints(writer *w) {
    const double y = w->scene->planar ? 0.0 : 0.5 * BOX, height = w->top;
    put(w, "joints:\n");
    for (int k = 0; k < LINKS; k++) {
        char type[16];
        strcpy(type, word_of(w, w->scene->planar
                                    ? "ball|hinge|fixed|distance|slider|motor"
                                    : "ball|hinge|fixed|distance|slider|motor|universal|cylindrical|screw|planar"));
        const double x = 0.3 * BOX + 1.1 * SPACING * (k - 0.5);
        if (k == 0 && chance(w, 0.5)) continue;
        put(w, "  - {name: joint%d, type: %s, between: [link%d, ", k, type, k);
        if (k > 0)
            put(w, "link%d]", k - 1);
        else
            put(w, "world]");
        if (strcmp(type, "distance") == 0) {
            put(w, ", points: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]", x + 0.5 * SPACING, y, height, x, y,
                height);
            put_maybe(w, 0.3, "length", 0.49 * SPACING, 0.51 * SPACING);
        } else {
            put(w, ", point: [%.17g, %.17g, %.17g]", x, y, height);
        }
        if (strcmp(type, "hinge") == 0) put(w, ", axis: [0, 1, 0]");
        if (strcmp(type, "slider") == 0) put(w, ", axis: [1, 0, 0]");
        if (strcmp(type, "motor") == 0) put_motor(w, w->joint[k]);
        if (strcmp(type, "hinge") == 0 || strcmp(type, "slider") == 0) put_ends(w, strcmp(type, "hinge") == 0);
        if (strcmp(type, "hinge") == 0) strcpy(w->joint[k], "t");
        if (strcmp(type, "slider") == 0) strcpy(w->joint[k], "s");
        put_spatial(w, type, w->joint[k]);
        if (strcmp(type, "fixed") != 0 && strcmp(type, "distance") != 0 && chance(w, 0.3)) put(w, ", friction: 1e-5");
        if (chance(w, 0.2)) put(w, ", collide: %s", chance(w, 0.5) ? "true" : "false");
        put(w, "}\n");
    }
    const char a = *w->joint[1], b = *w->joint[2];
    if (!a || !b || !chance(w, 0.4)) return;
    put(w, "  - {type: coupling, joints: [joint1, joint2], ratio: %.17g%s}\n",
        draw(w, 0.1, 2.0) * (a == b ? 1.0 : GRAIN),
        a == b     ? ""
        : a == 's' ? " m/rad"
                   : " rad/m");
}

void put_bodies(writer *w) {
    const int layers = w->scene->imposed ? 1 : 1 + pick(w, 3);
    w->ground = w->guests > 3 ? 2.0 * SPACING : w->guests > 0 ? SPACING : 0.0;
    w->top = w->ground + SPACING * (layers + 1.8);
    w->scene->layers = layers;
    put_walls(w);
    put_lid(w, w->top + SPACING * ((w->scene->joints ? 1.5 : 0.0) + (w->scene->insertions ? 6.0 : 0.0)));
    put_obstacles(w);
    put_shelf(w);
    put_guests(w);
    if (w->scene->joints) put_chain(w, w->top);
}
