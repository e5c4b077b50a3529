/*
 * Mass properties of the union of overlapping pieces: closed forms, chords of superquadrics, the stated error against a finer integral, and the
 * limit of the work.
 */
#include "../physics/worlds.h"

#include "mesh/build_mesh.h"
#include "shape/shape.h"
#include "world/chord.h"
#include "world/world_internal.h"

enum { MOST = 1024 };

typedef struct pieces {
    size_t count;
    rps_piece piece[MOST];
    double density[MOST];
} pieces;

static double exponent = NAN; /* of superquadrics; not a number: the default, of ellipsoids */

static void put(pieces *p, const char *name, rps_vec3 at, double a, double b, double c, rps_quat turn) {
    rps_piece *piece = &p->piece[p->count];
    const int index = rps_shape_find(name);
    const rps_shape *shape = rps_shape_at(index);
    const double number[3] = {a, b, c}, further = strcmp(name, "superquadric") == 0 ? exponent : NAN;
    memset(piece, 0, sizeof *piece);
    for (int k = 0; k < rps_shape_numbers(shape); k++) piece->parameter[k] = k < 3 ? number[k] : further;
    MUST(rps_shape_check(shape, piece->parameter, "piece", ERR));
    to_array(piece->offset, at);
    turn = rps_quat_normalize(turn);
    memcpy(piece->orientation, (const double[]){turn.w, turn.x, turn.y, turn.z}, sizeof piece->orientation);
    piece->radius = shape->bounding_radius(piece->parameter);
    piece->half_width = 0.5 * shape->smallest_width(piece->parameter);
    piece->shape = index;
    p->density[p->count++] = 2.0;
}

static rps_union_mass mass_of(const pieces *p, uint64_t most_work) {
    rps_union_mass out;
    MUST(rps_union_mass_of(NULL, NULL, p->piece, p->count, p->density, most_work, &out, ERR));
    return out;
}

static uint64_t word = 88172645463325252u;
static double draw(double low, double high) { /* Marsaglia's xorshift */
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    return low + (high - low) * (double)(word >> 11) * 0x1p-53;
}

static const rps_quat STRAIGHT = {1.0, 0.0, 0.0, 0.0};

/* --- closed forms ------------------------------------------------------------------------------------------------------- */

/* Volume and second moments xx, yy, zz about the origin, where the centre is, too. */
static void is_union(const char *what, const pieces *p, double volume, double xx, double yy, double zz) {
    const rps_union_mass m = mass_of(p, RPS_UNION_WORK);
    const double trace = 4.0 * (xx + yy + zz), size = sqrt((xx + yy + zz) / volume);
    double error = fabs(m.volume / volume - 1.0);
    error = fmax(error, rps_vec3_norm(m.centre) / size);
    const double moment[3] = {2.0 * (yy + zz), 2.0 * (zz + xx), 2.0 * (xx + yy)}; /* density 2 */
    for (int k = 0; k < 9; k++) {
        const double expected = k % 4 == 0 ? moment[k / 4] : 0.0;
        error = fmax(error, fabs(m.inertia.m[k / 3][k % 3] - expected) / trace);
    }
    SAY("%s: off by %.2g, stated %.2g, %llu chords\n", what, error, m.error, (unsigned long long)m.work);
    ASSERT_BELOW(m.error, RPS_UNION_GOAL);
    ASSERT_BELOW(error, m.error + 1e-14);
    ASSERT_NEAR(m.mass, 2.0 * m.volume, 1e-15 * m.mass);
}

static void test_closed_forms(void **state) {
    (void)state;
    const rps_vec3 origin = rps_vec3_zero();
    static pieces p;
    p.count = 0; /* two boxes 4 x 1 x 1 that cross: one of them and two cubes */
    put(&p, "box", origin, 4, 1, 1, STRAIGHT);
    put(&p, "box", origin, 1, 4, 1, STRAIGHT);
    is_union("cross of boxes", &p, 7.0, 64.0 / 12 + 3.0 / 12, 64.0 / 12 + 3.0 / 12, 7.0 / 12);
    p.count = 0; /* a rod of radius .3 and length 3 through a plate */
    put(&p, "box", origin, 4, 1, 1, STRAIGHT);
    put(&p, "cylinder", origin, 0.3, 3, 0, STRAIGHT);
    const double area = RPS_PI * 0.09;
    is_union("rod through a box", &p, 4.0 + 2.0 * area, 64.0 / 12 + 2.0 * area * 0.09 / 4,
             4.0 / 12 + 2.0 * area * 0.09 / 4, 4.0 / 12 + area * (27.0 - 1.0) / 12);
    p.count = 0; /* rods that cross at right angles: the overlap of volume 16/3 r^3 is Steinmetz's */
    put(&p, "cylinder", origin, 0.5, 4, 0, STRAIGHT);
    put(&p, "cylinder", origin, 0.5, 4, 0, (rps_quat){1, 1, 0, 0});
    const double rod = RPS_PI * 0.25 * 4.0, both = 16.0 / 3.0 * 0.125;
    /* of the overlap: at the height x (across both axes) a square of half side s, s^2 = r^2 - x^2 */
    const double along = 4.0 / 3.0 * (16.0 / 15.0) * 0.03125, up = 4.0 * (4.0 / 15.0) * 0.03125;
    const double far = rod * 16.0 / 12, near = rod * 0.25 / 4;
    is_union("crossing rods", &p, 2.0 * rod - both, 2.0 * near - up, far + near - along, far + near - along);
}

/* A floor of tiles, each over its neighbors, is one box: up to four of them meet in one place, and their faces lie in two
 * planes, which the turn blurs by rounding. */
static void test_tiles(void **state) {
    (void)state;
    static pieces p;
    static const rps_quat turn[2] = {{1, 0, 0, 0}, {0.8, 0.3, -0.4, 0.2}};
    for (int t = 0; t < 2; t++) {
        const rps_quat q = rps_quat_normalize(turn[t]);
        p.count = 0;
        for (int k = 0; k < 1000; k++) {
            const rps_vec3 at = {k % 40 - 19.5, k / 40 - 12.0, 0};
            put(&p, "box", rps_quat_rotate(q, at), 1.1, 1.1, 0.2, q);
        }
        const rps_union_mass m = mass_of(&p, RPS_UNION_WORK);
        const double side[3] = {39 + 1.1, 24 + 1.1, 0.2}, mass = 2.0 * side[0] * side[1] * side[2];
        const rps_mat3 axes = rps_quat_to_mat3(q), back = rps_mat3_transpose(&axes);
        const rps_mat3 half = rps_mat3_mul(&m.inertia, &axes), own = rps_mat3_mul(&back, &half);
        double error = fmax(fabs(m.mass / mass - 1.0), rps_vec3_norm(m.centre) / side[0]);
        for (int k = 0; k < 9; k++) {
            const double a = side[(k / 3 + 1) % 3], b = side[(k / 3 + 2) % 3];
            const double expected = k % 4 == 0 ? mass * (a * a + b * b) / 12.0 : 0.0;
            error = fmax(error, fabs(own.m[k / 3][k % 3] - expected) / (mass * side[0] * side[0]));
        }
        SAY("1,000 tiles: off by %.2g, stated %.2g, %llu chords\n", error, m.error, (unsigned long long)m.work);
        assert_true(m.error == 0.0);
        ASSERT_BELOW(error, 1e-12); /* rounding of a thousand sums of overlaps that are known to 1e-14 */
    }
}

/* --- convex meshes ------------------------------------------------------------------------------------------------------ */

enum { MESHES = 8 };
static rps_world_mesh mesh_table[MESHES];
static size_t meshes;

/* A solid of these points, about its center along the axes given; its principal axes are those. */
static void put_mesh(pieces *p, double (*point)[3], size_t points, uint32_t (*triangle)[3], size_t triangles,
                     rps_vec3 at, rps_quat turn) {
    assert_true(meshes < MESHES);
    rps_mesh *mesh = &mesh_table[meshes].mesh;
    rps_mesh_report report;
    const rps_mesh_options options = rps_mesh_options_default();
    const rps_raw_mesh raw = {.point = point, .points = points, .triangle = triangle, .triangles = triangles};
    MUST(rps_mesh_build(NULL, &raw, &options, mesh, &report, ERR));
    rps_piece *piece = &p->piece[p->count];
    memset(piece, 0, sizeof *piece);
    piece->shape = RPS_SHAPE_INDEX(mesh);
    piece->parameter[0] = (double)meshes++;
    for (int k = 0; k < 3; k++) {
        piece->parameter[1 + k] = mesh->box.low[k];
        piece->parameter[4 + k] = mesh->box.high[k];
    }
    piece->radius = piece->parameter[7] = rps_mesh_farthest(mesh);
    to_array(piece->offset, at);
    turn = rps_quat_normalize(turn);
    memcpy(piece->orientation, (const double[]){turn.w, turn.x, turn.y, turn.z}, sizeof piece->orientation);
    p->density[p->count++] = 2.0;
}

static void free_meshes(void) {
    for (; meshes > 0; meshes--) rps_mesh_release(&mesh_table[meshes - 1].mesh);
}

static void put_brick(pieces *p, rps_vec3 at, double x, double y, double z, rps_quat turn) {
    static const uint32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    double point[8][3];
    uint32_t triangle[12][3];
    for (int k = 0; k < 8; k++) {
        const double corner[3] = {(k % 2 - 0.5) * x, (k / 2 % 2 - 0.5) * y, (k / 4 - 0.5) * z};
        memcpy(point[k], corner, sizeof corner);
    }
    for (int f = 0; f < 6; f++) {
        for (int k = 0; k < 3; k++) {
            triangle[2 * f][k] = face[f][k];
            triangle[2 * f + 1][k] = face[f][k == 0 ? 0 : k + 1];
        }
    }
    put_mesh(p, point, 8, triangle, 12, at, turn);
}

static rps_union_mass mass_with_meshes(const pieces *p) {
    rps_union_mass out;
    MUST(rps_union_mass_of(NULL, mesh_table, p->piece, p->count, p->density, RPS_UNION_WORK, &out, ERR));
    return out;
}

/* Bricks of triangles are boxes; with boxes among them, too. */
static void test_bricks_as_boxes(void **state) {
    (void)state;
    static pieces boxes, bricks;
    double worst = 0.0;
    for (int n = 0; n < 40; n++) {
        boxes.count = bricks.count = 0;
        for (int k = 0; k < 5; k++) {
            const rps_vec3 at = {draw(-1, 1), draw(-1, 1), draw(-1, 1)};
            const double a = draw(0.4, 2), b = draw(0.4, 2), c = draw(0.4, 2);
            const rps_quat turn = {draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)};
            put(&boxes, "box", at, a, b, c, turn);
            if (k == 2) {
                put(&bricks, "box", at, a, b, c, turn);
            } else {
                put_brick(&bricks, at, a, b, c, turn);
            }
        }
        const rps_union_mass x = mass_of(&boxes, RPS_UNION_WORK), y = mass_with_meshes(&bricks);
        assert_true(y.error == 0.0);
        worst = fmax(worst, fabs(y.volume / x.volume - 1.0));
        worst = fmax(worst, rps_vec3_norm(rps_vec3_sub(x.centre, y.centre)));
        for (int k = 0; k < 9; k++)
            worst = fmax(worst, fabs(x.inertia.m[k / 3][k % 3] - y.inertia.m[k / 3][k % 3]) / x.mass);
        free_meshes();
    }
    SAY("bricks against boxes: %.2g\n", worst);
    ASSERT_BELOW(worst, 1e-13); /* round-off of some hundred cuts */
}

/* Two regular tetrahedra in a cube of edge 2, turned against each other: the star has half its volume, each of them a third. */
static void test_star(void **state) {
    (void)state;
    static pieces p;
    static double corner[2][4][3];
    static uint32_t face[2][4][3] = {{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}},
                                     {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}};
    p.count = 0;
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 4; k++) {
            const double sign = s == 0 ? 1.0 : -1.0;
            corner[s][k][0] = sign * (k == 0 || k == 1 ? 1.0 : -1.0);
            corner[s][k][1] = sign * (k == 0 || k == 2 ? 1.0 : -1.0);
            corner[s][k][2] = sign * (k == 0 || k == 3 ? 1.0 : -1.0);
        }
        put_mesh(&p, corner[s], 4, face[s], 4, rps_vec3_zero(), STRAIGHT);
    }
    const rps_union_mass m = mass_with_meshes(&p);
    ASSERT_NEAR(m.volume, 4.0, 1e-14);
    assert_true(m.error == 0.0);
    ASSERT_BELOW(rps_vec3_norm(m.centre), 1e-15);
    /* second moments xx: of a tetrahedron with corners of coordinates 1 and -1, V/20 (4 + 0) = 8/15; of the octahedron between
     * them, with corners at distance 1, V/10 = 2/15 */
    const double xx = 2.0 * 8.0 / 15.0 - 2.0 / 15.0;
    for (int k = 0; k < 3; k++) ASSERT_NEAR(m.inertia.m[k][k], 2.0 * 2.0 * xx, 1e-14);
    free_meshes();
}

/* A ball in the middle of a face of a cube of edge 2: half of it is outside. By the integral, to its goal. */
static void test_ball_in_mesh(void **state) {
    (void)state;
    static pieces p;
    p.count = 0;
    put_brick(&p, rps_vec3_zero(), 2, 2, 2, STRAIGHT);
    put(&p, "sphere", rps_vec3_make(1, 0, 0), 0.7, 0, 0, STRAIGHT);
    const rps_union_mass m = mass_with_meshes(&p);
    const double half = 2.0 / 3.0 * RPS_PI * 0.343, volume = 8.0 + half;
    SAY("ball in a mesh: off by %.2g, stated %.2g\n", fabs(m.volume / volume - 1.0), m.error);
    ASSERT_BELOW(m.error, RPS_UNION_GOAL);
    ASSERT_NEAR(m.volume / volume, 1.0, m.error);
    ASSERT_NEAR(m.centre.x * volume, half * (1.0 + 0.375 * 0.7), 8.0 * m.error); /* of half a ball 3/8 R */
    free_meshes();
}

/* Meshes side by side share a face, and nothing is integrated. */
static void test_faces_that_meet(void **state) {
    (void)state;
    static pieces p;
    const rps_quat turn = {0.3, 0.5, -0.7, 0.2};
    p.count = 0;
    for (int k = 0; k < 3; k++) {
        const rps_vec3 at = rps_quat_rotate(rps_quat_normalize(turn), rps_vec3_make(k, 0, 0));
        put_brick(&p, at, 1, 2, 3, turn);
    }
    const rps_union_mass m = mass_with_meshes(&p);
    assert_true(m.exact);
    ASSERT_NEAR(m.volume, 18.0, 1e-13);
    free_meshes();
}

/* The closed form of boxes against the integral of the same boxes with edges rounded by 1e-7, which takes 1e-14 of the
 * volume: within the error that the integral states. */
static void test_boxes_against_the_integral(void **state) {
    (void)state;
    static pieces sharp, rounded;
    for (int trial = 0; trial < 20; trial++) {
        sharp.count = rounded.count = 0;
        const int count = (int)draw(2, 6);
        for (int k = 0; k < count; k++) {
            const rps_vec3 at = {draw(-0.4, 0.4), draw(-0.4, 0.4), draw(-0.4, 0.4)};
            const rps_quat turn = {draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)};
            const double a = draw(0.3, 1), b = draw(0.3, 1), c = draw(0.3, 1);
            put(&sharp, "box", at, a, b, c, turn);
            put(&rounded, "box", at, a, b, c, turn);
            rounded.piece[k].parameter[3] = 1e-7;
        }
        const rps_union_mass x = mass_of(&sharp, RPS_UNION_WORK), y = mass_of(&rounded, 1 << 20);
        assert_true(x.error == 0.0);
        const double trace = x.inertia.m[0][0] + x.inertia.m[1][1] + x.inertia.m[2][2];
        ASSERT_BELOW(fabs(x.mass / y.mass - 1.0), y.error + 1e-12);
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(x.centre, y.centre)), (y.error + 1e-12) * sqrt(0.5 * trace / x.mass));
        for (int k = 0; k < 9; k++)
            ASSERT_BELOW(fabs(x.inertia.m[k / 3][k % 3] - y.inertia.m[k / 3][k % 3]), (y.error + 1e-12) * trace);
    }
}

/* Two spheres of radius 1 at a distance: the volume and moments of their lens are integrals of polynomials. Scaled by a
 * along x, these are superquadrics with exponents 2. */
static void lens_of_spheres(double distance, double a) {
    static pieces p;
    const double h = 0.5 * distance, ball = 4.0 / 3.0 * RPS_PI;
    p.count = 0;
    for (int k = -1; k <= 1; k += 2) {
        const rps_vec3 at = {a * h * k, 0, 0};
        if (a == 1.0) {
            put(&p, "sphere", at, 1, 0, 0, STRAIGHT);
        } else {
            put(&p, "superquadric", at, a, 1, 1, STRAIGHT);
        }
    }
    /* of half the lens, h < x < 1 in the axes of a sphere: the integrals of 1, x, x^2 and (1 - x^2)/4 times pi (1 - x^2) */
    double part[4] = {0};
    for (int end = 1; end >= -1; end -= 2) {
        const double x = end > 0 ? 1.0 : h, x2 = x * x;
        part[0] += end * RPS_PI * (x - x * x2 / 3);
        part[1] += end * RPS_PI * (x2 / 2 - x2 * x2 / 4);
        part[2] += end * RPS_PI * (x * x2 / 3 - x2 * x2 * x / 5);
        part[3] += end * RPS_PI / 4 * (x - 2 * x * x2 / 3 + x2 * x2 * x / 5);
    }
    const double volume = 2.0 * (ball - part[0]);
    const double xx = 2.0 * (ball * (0.2 + h * h) - (part[2] - 2.0 * h * part[1] + h * h * part[0]));
    const double yy = 2.0 * (ball * 0.2 - part[3]);
    is_union(a == 1.0 ? "two spheres" : "two ellipsoids", &p, a * volume, a * a * a * xx, a * yy, a * yy);
}

/* Two superquadrics of exponent 4 one above the other. At the height s, z = c s, a section is the one through the
 * centre, of area A and second moment B, scaled by r, r^4 = 1 - s^4. With s = sin t the integrals over s are smooth. */
static void lens_of_superquadrics(double a, double c, double distance) {
    static pieces p;
    enum { STEPS = 2000 };
    const double h = 0.5 * distance, from = asin(h), width = (0.5 * RPS_PI - from) / STEPS;
    const double section = 4.0 * tgamma(1.25) * tgamma(1.25) / tgamma(1.5);
    const double second = 4.0 / 16.0 * tgamma(0.75) * tgamma(0.25) / tgamma(2.0);
    double part[3] = {0}; /* of half the lens: volume, second moments along z from its middle and along x */
    for (int k = 0; k <= STEPS; k++) {
        const double t = from + k * width, s = sin(t), r2 = cos(t) * sqrt(1.0 + s * s);
        const double weight = (k == 0 || k == STEPS ? 1.0 : k % 2 ? 4.0 : 2.0) * width / 3.0 * cos(t) * c;
        part[0] += weight * section * a * a * r2;
        part[1] += weight * section * a * a * r2 * c * c * (s - h) * (s - h);
        part[2] += weight * second * a * a * a * a * r2 * r2;
    }
    p.count = 0;
    exponent = 4.0;
    put(&p, "superquadric", rps_vec3_make(0, 0, -c * h), a, a, c, STRAIGHT);
    put(&p, "superquadric", rps_vec3_make(0, 0, c * h), a, a, c, STRAIGHT);
    exponent = NAN;
    const rps_shape_mass one = rps_shape_superquadric.mass(p.piece[0].parameter);
    const rps_vec3 i = one.inertia_per_mass;
    const double zz = 0.5 * one.volume * (i.x + i.y - i.z), xx = 0.5 * one.volume * i.z;
    const double up = 2.0 * (zz + one.volume * c * c * h * h - part[1]), across = 2.0 * (xx - part[2]);
    is_union("two superquadrics", &p, 2.0 * (one.volume - part[0]), across, across, up);
}

static void test_lenses(void **state) {
    (void)state;
    for (double distance = 0.1; distance < 2.0; distance += 0.45) {
        lens_of_spheres(distance, 1.0);
        lens_of_spheres(distance, 1.7);
    }
    lens_of_superquadrics(0.8, 1.1, 1.0);
    lens_of_superquadrics(0.8, 1.1, 1.7);
}

/* Two special cases need no integral: identical pieces count once, and a piece inside another not at all. */
static void test_pieces_held_whole(void **state) {
    (void)state;
    static pieces p;
    p.count = 0;
    for (int k = 0; k < 4; k++) put(&p, "superquadric", rps_vec3_make(0.1, 0.2, 0.3), 1, 2, 3, (rps_quat){1, 2, 3, 4});
    const rps_union_mass four = mass_of(&p, RPS_UNION_WORK);
    p.count = 1;
    put(&p, "sphere", rps_vec3_make(0.1, 0.2, 0.3), 0.4, 0, 0, STRAIGHT);
    const rps_union_mass held = mass_of(&p, RPS_UNION_WORK);
    p.count = 1;
    const rps_union_mass one = mass_of(&p, RPS_UNION_WORK);
    assert_true(four.exact && held.exact && one.exact);
    assert_memory_equal(&four.inertia, &one.inertia, sizeof one.inertia);
    assert_memory_equal(&held.inertia, &one.inertia, sizeof one.inertia);
    assert_true(four.mass == one.mass && held.mass == one.mass);
}

/* --- chords of superquadrics --------------------------------------------------------------------------------------------- */

/* The value of the shape on the line at t. */
static double value_at(const rps_lined *s, double u, double v, double t) {
    const rps_vec3 x = rps_vec3_sub(rps_vec3_make(u, v, t), s->centre);
    return s->shape->value(s->piece->parameter, rps_mat3_transpose_mul_vec(&s->axes, x));
}

/* The least value on the line, by sections of 1/3: along a line it is convex. */
static double least_value(const rps_lined *s, double u, double v) {
    double low = -20.0, high = 20.0;
    for (int k = 0; k < 120; k++) {
        const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
        if (value_at(s, u, v, a) < value_at(s, u, v, b)) {
            high = b;
        } else {
            low = a;
        }
    }
    return value_at(s, u, v, low);
}

/* The ends lie on the surface, and only lines that miss the shape have none. 1e-7: the last step of Newton's method is
 * below 1e-8 of the radius, and its error is of the order of the square, except for lines that barely touch. */
static void test_chords_of_superquadrics(void **state) {
    (void)state;
    static const double powers[][2] = {{4, 4}, {8, 8}, {3, 5}, {16, 2}, {2, 6}, {1.5, 2.5}, {1.2, 7.3}, {2, 2}};
    const rps_mat3 frame = rps_mat3_identity();
    int hits = 0, lines = 0;
    double worst = 0.0;
    for (size_t n = 0; n < sizeof powers / sizeof *powers; n++) {
        static pieces p;
        p.count = 0;
        exponent = 2.0;
        put(&p, "superquadric", rps_vec3_make(0.1, 0.2, 0.3), 1, 0.6, 1.4, (rps_quat){0.8, 0.3, -0.4, 0.2});
        exponent = NAN;
        memcpy(p.piece[0].parameter + 3, powers[n], sizeof powers[n]);
        const rps_lined s = rps_lined_of(&p.piece[0], NULL, rps_vec3_zero(), &frame);
        for (int k = 0; k < 400; k++, lines++) {
            const double u = draw(-1.6, 1.6), v = draw(-1.6, 1.6), least = least_value(&s, u, v);
            rps_interval t = {-INFINITY, INFINITY};
            uint64_t done = 0;
            const bool hit = rps_chord(&s, u, v, &t, &done);
            if (fabs(least) < 1e-6) continue; /* it barely touches */
            assert_true(hit == (least < 0.0));
            if (!hit) continue;
            hits++;
            worst = fmax(worst, fmax(fabs(value_at(&s, u, v, t.low)), fabs(value_at(&s, u, v, t.high))));
        }
    }
    SAY("superquadrics: %d of %d lines hit, the ends are off by at most %.2g\n", hits, lines, worst);
    assert_true(hits > lines / 4 && hits < lines);
    ASSERT_BELOW(worst, 1e-7);
}

/* --- the stated error ---------------------------------------------------------------------------------------------------- */

static void put_random(pieces *p, double spread) {
    static const char *const name[6] = {"sphere", "box", "cylinder", "ellipsoid", "capsule", "superquadric"};
    const rps_vec3 at = {draw(-spread, spread), draw(-spread, spread), draw(-spread, spread)};
    const double a = draw(0.1, 0.5), b = draw(0.1, 0.5), c = draw(0.1, 0.5);
    const rps_quat turn = {draw(-1, 1), draw(-1, 1), draw(-1, 1), draw(-1, 1)};
    exponent = 4.0;
    put(p, name[(int)draw(0, 6)], at, a, b, c, turn);
    exponent = NAN;
}

/* With a twentieth of the work the stated error is well above that of the full work, which stands for the truth. */
static void test_the_stated_error_holds(void **state) {
    (void)state;
    static pieces p;
    double worst = 0.0;
    for (int trial = 0; trial < 40; trial++) {
        p.count = 0;
        const int count = (int)draw(2, 7);
        const double spread = draw(0.1, 0.6);
        for (int k = 0; k < count; k++) put_random(&p, spread);
        const rps_union_mass rough = mass_of(&p, 1 << 17), good = mass_of(&p, RPS_UNION_WORK);
        if (good.exact) continue;
        const double trace = good.inertia.m[0][0] + good.inertia.m[1][1] + good.inertia.m[2][2];
        double error = fabs(rough.mass / good.mass - 1.0);
        error = fmax(error, rps_vec3_norm(rps_vec3_sub(rough.centre, good.centre)) / sqrt(0.5 * trace / good.mass));
        for (int k = 0; k < 9; k++) {
            error = fmax(error, fabs(rough.inertia.m[k / 3][k % 3] - good.inertia.m[k / 3][k % 3]) / trace);
        }
        worst = fmax(worst, error / (rough.error + good.error));
    }
    SAY("random unions: error at most %.2g of what is stated\n", worst);
    ASSERT_BELOW(worst, 1.0);
}

/* --- the work --------------------------------------------------------------------------------------------------------------- */

/* The limit, and what is beyond it: of each pair of pieces that overlap a look for planes between them, a close look at the
 * overlap, and 80 lines. */
static void is_limited(const char *what, const pieces *p, double pairs) {
    static const uint64_t most[2] = {RPS_UNION_LITTLE_WORK, 1 << 12};
    for (int k = 0; k < 2; k++) {
        const rps_union_mass m = mass_of(p, most[k]);
        SAY("%s: %llu chords of %llu, stated error %.2g\n", what, (unsigned long long)m.work,
            (unsigned long long)most[k], m.error);
        ASSERT_BELOW((double)m.work, 1.1 * (double)most[k] + 700.0 * pairs + 100000.0);
        assert_true(m.error >= 0.0 && rps_finite(m.mass));
    }
}

/* A raft of superquadrics, each over its neighbors: the limit of the work leaves an accuracy that is of use. With powers
 * by logarithm in every chord it was 5 %, and the body was refused. */
static void test_a_raft_of_superquadrics(void **state) {
    (void)state;
    static pieces p;
    p.count = 0;
    exponent = 4.0;
    for (int k = 0; k < 100; k++) {
        put(&p, "superquadric", rps_vec3_make(k % 10, k / 10, 0), 0.6, 0.6, 0.4, (rps_quat){1, 0.01, 0.02, 0});
    }
    exponent = NAN;
    const rps_union_mass m = mass_of(&p, RPS_UNION_WORK);
    SAY("100 superquadrics: stated error %.2g, %llu chords\n", m.error, (unsigned long long)m.work);
    ASSERT_BELOW(m.error, 5e-3);
}

static void test_the_work_is_limited(void **state) {
    (void)state;
    static pieces p;
    p.count = 0; /* two plates that cross under a degree, a thousand times as wide as thick */
    put(&p, "box", rps_vec3_zero(), 1, 1, 0.001, STRAIGHT);
    put(&p, "box", rps_vec3_zero(), 1, 1, 0.001, (rps_quat){1, 0.005, 0, 0});
    for (int k = 0; k < 2; k++) p.piece[k].parameter[3] = 1e-4; /* rounded edges: sharp ones have a closed form */
    is_limited("plates", &p, 1);
    p.count = 0; /* two spheres that barely overlap */
    put(&p, "sphere", rps_vec3_zero(), 1, 0, 0, STRAIGHT);
    put(&p, "sphere", rps_vec3_make(2.0 - 1e-9, 0, 0), 1, 0, 0, STRAIGHT);
    is_limited("tangent spheres", &p, 1);
    p.count = 0;
    for (int k = 0; k < 60; k++) put_random(&p, 0.2);
    is_limited("60 pieces in one place", &p, 60 * 59 / 2);
    p.count = 0; /* a wall of 1,000 tiles, each over its neighbors */
    for (int k = 0; k < 1000; k++) {
        put(&p, "ellipsoid", rps_vec3_make(k % 40, k / 40, 0), 0.6, 0.6, 0.2, (rps_quat){1, 0.01, 0.02, 0});
    }
    is_limited("1,000 tiles", &p, 4 * 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_boxes_against_the_integral),
        cmocka_unit_test(test_bricks_as_boxes),
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_ball_in_mesh),
        cmocka_unit_test(test_faces_that_meet),
        cmocka_unit_test(test_lenses),
        cmocka_unit_test(test_pieces_held_whole),
        cmocka_unit_test(test_chords_of_superquadrics),
        cmocka_unit_test(test_the_stated_error_holds),
        cmocka_unit_test(test_a_raft_of_superquadrics),
        cmocka_unit_test(test_the_work_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
