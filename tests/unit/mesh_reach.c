/*
 * Contacts of a ball with a mesh as geometry: the energy is a function of the place, the force its gradient, and cutting the
 * triangles does not show.
 */
#include "../physics/meshes.h"

#include "mesh/build_mesh.h"
#include "mesh/reach.h"
#include "step/mesh_near.h"

enum { SIDE = 14, MOST = 400 };

/* A rough surface with cells of 1, heights up to `rough`. cut: each triangle in three at a random point. */
static rps_mesh rough_mesh(double rough, uint64_t stream, bool cut, rps_mesh_side side) {
    sheet s = sheet_new();
    for (uint64_t k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        sheet_point(&s, (double)(k % (SIDE + 1)) - SIDE / 2 + uniform(stream, k, -0.3, 0.3),
                    (double)(k / (SIDE + 1)) - SIDE / 2 + uniform(stream + 1, k, -0.3, 0.3),
                    uniform(stream + 2, k, 0.0, rough));
    }
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        const uint32_t a = k / SIDE * (SIDE + 1) + k % SIDE;
        sheet_quad(&s, a, a + 1, a + SIDE + 2, a + SIDE + 1);
    }
    const size_t triangles = s.triangles;
    for (size_t k = 0; k < triangles && cut; k++) {
        const uint32_t *t = s.triangle[k], a = t[0], b = t[1], c = t[2];
        const double u = uniform(stream + 3, k, 0.01, 0.6), v = uniform(stream + 4, k, 0.01, 0.98 - u);
        double x[3];
        for (int m = 0; m < 3; m++)
            x[m] = s.point[a][m] + u * (s.point[b][m] - s.point[a][m]) + v * (s.point[c][m] - s.point[a][m]);
        const uint32_t p = sheet_point(&s, x[0], x[1], x[2]);
        s.triangle[k][2] = p;
        sheet_triangle(&s, b, c, p);
        sheet_triangle(&s, c, a, p);
    }
    const rps_raw_mesh raw = {.points = s.points, .triangles = s.triangles, .point = s.point, .triangle = s.triangle};
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh_report report;
    rps_mesh mesh;
    options.side = side;
    options.weld = 1e-9;
    MUST(rps_mesh_build(NULL, &raw, &options, &mesh, &report, ERR));
    sheet_free(&s);
    return mesh;
}

typedef struct contacts {
    rps_mesh_contact contact[MOST];
    size_t count;
    double energy;  /* sum of overlap^p */
    rps_vec3 force; /* - gradient */
} contacts;

static contacts contacts_at(const rps_mesh *mesh, rps_vec3 c, double radius, double p) {
    static rps_reached found[MOST];
    static double scratch[64 * MOST];
    contacts out = {.count = 0};
    const size_t count = rps_mesh_reach(mesh, c, radius, found, MOST);
    assert_true(count <= MOST && rps_mesh_contacts_scratch(count) <= sizeof scratch);
    out.count = rps_mesh_contacts(mesh, c, radius, radius, p, found, count, scratch, out.contact, MOST);
    for (size_t k = 0; k < out.count; k++) {
        const rps_mesh_contact *one = &out.contact[k];
        assert_true(one->overlap > 0.0 && one->gain > 0.0);
        ASSERT_NEAR(rps_vec3_norm(one->normal), 1.0, 1e-14);
        out.energy += pow(one->overlap, p);
        out.force = rps_vec3_add_scaled(out.force, p * pow(one->overlap, p - 1.0) * one->gain, one->normal);
    }
    return out;
}

/* A place at which the ball overlaps the surface by about 2 to 25 % of its radius. */
static rps_vec3 place_of(const rps_mesh *mesh, uint64_t n, double radius) {
    rps_vec3 c = {uniform(40, n, -3.0, 3.0), uniform(41, n, -3.0, 3.0), 6.0};
    const double deep = uniform(42, n, 0.02, 0.25) * radius;
    for (int k = 0; k < 200; k++) { /* sphere tracing from above */
        rps_reached nearest;
        assert_true(rps_mesh_nearest(mesh, c, INFINITY, &nearest));
        const double more = nearest.distance - (radius - deep);
        if (more < 1e-9) break;
        c.z -= more;
    }
    return c;
}

/* Force by central differences of the energy. Where a foot appears or a joint passes within the difference the second derivative
 * jumps: an error of the order of h, and more for p = 2. */
static void test_gradient(void **state) {
    (void)state;
    static const double exponent[2] = {2.0, 2.5};
    const rps_mesh mesh = rough_mesh(0.8, 1, false, RPS_MESH_BOTH);
    size_t several = 0, merged = 0;
    for (uint64_t n = 0; n < 400; n++) {
        const double radius = n % 3 == 0 ? 0.3 : n % 3 == 1 ? 1.0 : 2.5, p = exponent[n % 2], h = 1e-6 * radius;
        const rps_vec3 c = place_of(&mesh, n, radius), axis[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
        const contacts here = contacts_at(&mesh, c, radius, p);
        if (here.count == 0) continue;
        several += here.count > 1;
        for (size_t k = 0; k < here.count; k++) merged += here.contact[k].gain != 1.0;
        double slope[3];
        for (int k = 0; k < 3; k++) {
            slope[k] = (contacts_at(&mesh, rps_vec3_add(c, axis[k]), radius, p).energy -
                        contacts_at(&mesh, rps_vec3_sub(c, axis[k]), radius, p).energy) /
                       (2.0 * h);
        }
        const rps_vec3 difference = {here.force.x + slope[0], here.force.y + slope[1], here.force.z + slope[2]};
        /* 1e-10 of rounding over h; h times a second derivative of p (p - 1) overlap^(p - 2) otherwise */
        ASSERT_BELOW(rps_vec3_norm(difference) / rps_vec3_norm(here.force), 2e-4);
    }
    SAY("%d places with several contacts, %d contacts of several feet\n", (int)several, (int)merged);
    assert_true(several > 20 && merged > 50); /* the rule was tried where it matters */
    rps_mesh mine = mesh;
    rps_mesh_release(&mine);
}

/* Along a path the energy does not jump: its largest change over a step falls with the step. */
static void test_path(void **state) {
    (void)state;
    const rps_mesh mesh = rough_mesh(0.8, 11, false, RPS_MESH_OUTER);
    const double radius = 1.2;
    double largest[2] = {0.0, 0.0};
    for (int fine = 0; fine < 2; fine++) {
        const int steps = fine == 0 ? 4000 : 16000;
        for (uint64_t n = 0; n < 6; n++) {
            const rps_vec3 from = {-4.0, uniform(50, n, -3, 3), uniform(51, n, 1.2, 1.8)};
            const rps_vec3 to = {4.0, uniform(52, n, -3, 3), uniform(53, n, 1.2, 1.8)};
            double last = NAN;
            for (int k = 0; k <= steps; k++) {
                const double t = (double)k / steps;
                const rps_vec3 c = rps_vec3_add_scaled(rps_vec3_scale(from, 1.0 - t), t, to);
                const double energy = contacts_at(&mesh, c, radius, 2.5).energy;
                if (k > 0) largest[fine] = fmax(largest[fine], fabs(energy - last));
                last = energy;
            }
        }
    }
    SAY("largest change of the energy in a step %.2e, in a quarter of it %.2e\n", largest[0], largest[1]);
    ASSERT_BELOW(largest[1], 0.3 * largest[0]); /* a quarter; a jump would stay */
    rps_mesh mine = mesh;
    rps_mesh_release(&mine);
}

/* Triangles cut in three: the same contacts. */
static void test_cut(void **state) {
    (void)state;
    const rps_mesh whole = rough_mesh(0.8, 21, false, RPS_MESH_OUTER), cut = rough_mesh(0.8, 21, true, RPS_MESH_OUTER);
    assert_int_equal(cut.triangles, 3 * whole.triangles);
    size_t seen = 0;
    for (uint64_t n = 0; n < 200; n++) {
        const double radius = n % 2 == 0 ? 0.5 : 1.5;
        const rps_vec3 c = place_of(&whole, n, radius);
        const contacts a = contacts_at(&whole, c, radius, 2.5), b = contacts_at(&cut, c, radius, 2.5);
        assert_int_equal(a.count, b.count);
        seen += a.count;
        /* rounding of the points that cut, 1e-16 of coordinates up to 7 */
        ASSERT_NEAR(b.energy, a.energy, 1e-13);
        ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(a.force, b.force)), 1e-12);
    }
    assert_true(seen > 150);
    rps_mesh mine[2] = {whole, cut};
    for (int k = 0; k < 2; k++) rps_mesh_release(&mine[k]);
}

/* Triangles kept near a ball that wanders give what a search gives, whether few are near, many, or more than a note holds. */
static void test_notes(void **state) {
    (void)state;
    static rps_reached by_note[MOST], by_search[MOST];
    const rps_mesh mesh = rough_mesh(0.4, 31, true, RPS_MESH_OUTER);
    static const double radii[] = {0.1, 0.4, 1.0, 3.0};
    size_t found = 0, notes = 0, crowded = 0;
    for (uint64_t n = 0; n < 12; n++) {
        const double radius = radii[n % 4], step = (n % 3 == 0 ? 0.2 : 0.01) * radius;
        rps_near_note note = {.within = 0.0};
        rps_vec3 c = rps_vec3_add(place_of(&mesh, n, radius), rps_vec3_make(0.0, 0.0, n % 5 == 4 ? 2.0 * radius : 0.0));
        const rps_vec3 way = rps_vec3_scale(rps_vec3_add(random_direction(70, n), rps_vec3_make(0, 0, -0.3)), step);
        for (int k = 0; k < 300; k++) {
            c = rps_vec3_add_scaled(rps_vec3_add(c, way), 0.2 * step, random_direction(71, 300 * n + (uint64_t)k));
            const rps_vec3 before = rps_vec3_of(note.centre);
            double clear;
            rps_reached nearest;
            const size_t count = rps_mesh_reach(&mesh, c, radius, by_search, MOST);
            assert_true(count <= MOST);
            assert_int_equal(rps_mesh_near_reach(&mesh, c, radius, 0.1 * radius, &note, by_note, MOST, &clear), count);
            for (size_t m = 0; m < count; m++) {
                assert_int_equal(by_note[m].triangle, by_search[m].triangle);
                assert_true(by_note[m].distance == by_search[m].distance);
            }
            assert_true(rps_mesh_nearest(&mesh, c, INFINITY, &nearest) && clear <= nearest.distance);
            found += count;
            notes += rps_vec3_norm(rps_vec3_sub(rps_vec3_of(note.centre), before)) > 0.0;
            crowded += note.crowded;
        }
    }
    SAY("%zu triangles found, %zu notes for %d places, %zu crowded\n", found, notes, 12 * 300, crowded);
    assert_true(found > 3600 && notes < 2400 && crowded > 100 && crowded < 1800);
    rps_mesh mine = mesh;
    rps_mesh_release(&mine);
}

/* Shares of every contact at random places: their directions add up to the normal, their parts to 1; on a plane the face below
 * takes all, beside an edge or a point of a convex surface those around it equal parts. */
static void test_shares(void **state) {
    (void)state;
    static rps_reached found[MOST];
    static rps_mesh_share share[MOST];
    static rps_mesh_contact contact[MOST];
    static double scratch[64 * MOST];
    const rps_mesh mesh = rough_mesh(0.6, 31, false, RPS_MESH_BOTH);
    size_t several = 0;
    for (uint64_t n = 0; n < 3000; n++) {
        const double radius = uniform(41, n, 0.4, 2.5), p = n % 2 == 0 ? 2.5 : 2.0;
        const rps_vec3 c = {uniform(42, n, -3, 3), uniform(43, n, -3, 3), uniform(44, n, 0.3, 2.5)};
        const size_t count = rps_mesh_reach(&mesh, c, radius, found, MOST);
        const size_t pieces = rps_mesh_contacts(&mesh, c, radius, radius, p, found, count, scratch, contact, MOST);
        for (size_t k = 0; k < pieces; k++) {
            assert_true(rps_mesh_shares(&mesh, c, radius, radius, p, found, count, scratch, contact[k].foot, share));
            rps_vec3 sum = rps_vec3_zero();
            double parts = 0.0;
            size_t used = 0;
            for (size_t m = 0; m < count; m++) {
                sum = rps_vec3_add(sum, share[m].direction);
                parts += share[m].part;
                used += share[m].size != 0.0;
            }
            several += used > 2;
            ASSERT_BELOW(rps_vec3_norm(rps_vec3_sub(sum, contact[k].normal)),
                         1e-12); /* a few roundings, over the gain */
            ASSERT_NEAR(parts, 1.0, 1e-13);
        }
        assert_false(count > 0 &&
                     rps_mesh_shares(&mesh, c, radius, radius, p, found, count, scratch, UINT32_MAX, share));
    }
    SAY("%d contacts with shares of three triangles or more\n", (int)several);
    assert_true(several > 500);
    rps_mesh cut = mesh;
    rps_mesh_release(&cut);
}

/* A pyramid of four faces seen from above: at its top each face takes a quarter, over a ridge its two faces a half each. */
static void test_shares_of_a_pyramid(void **state) {
    (void)state;
    sheet s = sheet_new();
    const uint32_t top = sheet_point(&s, 0, 0, 1), corner[4] = {sheet_point(&s, 3, 0, 0), sheet_point(&s, 0, 3, 0),
                                                                sheet_point(&s, -3, 0, 0), sheet_point(&s, 0, -3, 0)};
    for (int k = 0; k < 4; k++) sheet_triangle(&s, top, corner[k], corner[(k + 1) % 4]);
    const rps_raw_mesh raw = {.points = s.points, .triangles = s.triangles, .point = s.point, .triangle = s.triangle};
    rps_mesh_options options = rps_mesh_options_default();
    rps_mesh_report report;
    rps_mesh mesh;
    options.side = RPS_MESH_BOTH;
    MUST(rps_mesh_build(NULL, &raw, &options, &mesh, &report, ERR));
    static double scratch[1024];
    const rps_vec3 place[2] = {{0.01, 0.02, 1.9}, {1.5 + 0.9 * 1.0 / 3.0, 0, 0.5 + 0.9}};
    for (int n = 0; n < 2; n++) {
        rps_reached found[8];
        rps_mesh_share share[8];
        const size_t count = rps_mesh_reach(&mesh, place[n], 1.0, found, 8);
        rps_mesh_contact contact;
        assert_int_equal(rps_mesh_contacts(&mesh, place[n], 1.0, 1.0, 2.5, found, count, scratch, &contact, 1), 1);
        assert_true(rps_mesh_shares(&mesh, place[n], 1.0, 1.0, 2.5, found, count, scratch, contact.foot, share));
        for (size_t k = 0; k < count; k++) {
            const double expected = n == 0 ? 0.25 : share[k].size > 0.0 ? 0.5 : 0.0;
            ASSERT_NEAR(share[k].part, expected, 1e-15);
            ASSERT_NEAR(share[k].size, expected, 1e-15);
        }
    }
    rps_mesh_release(&mesh);
    sheet_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradient), cmocka_unit_test(test_path),
                                       cmocka_unit_test(test_cut),      cmocka_unit_test(test_notes),
                                       cmocka_unit_test(test_shares),   cmocka_unit_test(test_shares_of_a_pyramid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
