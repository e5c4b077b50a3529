/* The laws of contacts as a program sees them: what the library has for a role, what a pair of materials makes of the numbers
 * that it is given, and the two forms of the tracked motion.
 *
 * A pair in the symmetric form gives the same motion whichever of two bodies was added first; the form of Fang & Negrut
 * 2020 takes the axes of the lower id and does not. The program lets two unlike balls collide obliquely in both orders and
 * both forms. Build: cc laws.c $(pkg-config --cflags --libs repose) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <repose/repose.h>

static rps_error err;

/* Ends the program with the sentence of a call that fails. */
static void must(rps_status status) {
    if (status == RPS_OK) return;
    fprintf(stderr, "%s: %s\n", rps_status_name(status), err.text);
    exit(1);
}

/* All laws of a role, and the parameters of one of them. */
static void list_laws(rps_role role, const char *chosen) {
    const rps_law *law;
    printf("%s laws:", rps_role_name(role));
    for (size_t n = 0; (law = rps_law_at(n)); n++) {
        if (law->role == role) printf(" %s", law->name);
    }
    law = rps_law_find(role, chosen);
    printf("\n%s: %s (%s)\n", law->name, law->summary, law->citation);
    for (int n = 0; n < RPS_LAW_PARAMETERS && law->parameter[n].name; n++) {
        printf("  %s, %s: %s\n", law->parameter[n].name, *law->parameter[n].unit ? law->parameter[n].unit : "1",
               law->parameter[n].meaning);
    }
}

/* The laws of a shared library, such as law_file/film.c makes; a world knows those that it registers. */
static void list_file(const char *path) {
    const rps_law *const *law;
    size_t laws;
    must(rps_law_file_load(path, &law, &laws, &err));
    for (size_t n = 0; n < laws; n++) printf("%s: %s law %s\n", path, rps_role_name(law[n]->role), law[n]->name);
}

static rps_pair make_pair(rps_form form) {
    rps_pair pair = rps_pair_default();
    pair.form = form;
    must(rps_pair_law(&pair, RPS_ROLE_NORMAL, "hertz", &err));
    must(rps_pair_law(&pair, RPS_ROLE_DAMPING, "restitution", &err));
    must(rps_pair_set(&pair, RPS_ROLE_DAMPING, "value", 0.8, &err));
    must(rps_pair_law(&pair, RPS_ROLE_SLIDE, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "static", 0.5, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "kinetic", 0.4, &err));
    must(rps_pair_set(&pair, RPS_ROLE_SLIDE, "stiffness", 2e4, &err));
    must(rps_pair_law(&pair, RPS_ROLE_ROLL, "tracked", &err)); /* takes the numbers of slide that it is not given */
    must(rps_pair_set(&pair, RPS_ROLE_ROLL, "eta", 0.3, &err));
    must(rps_pair_law(&pair, RPS_ROLE_SPIN, "tracked", &err));
    must(rps_pair_set(&pair, RPS_ROLE_SPIN, "eta", 0.5, &err));
    must(rps_pair_set_word(&pair, RPS_ROLE_SPIN, "curvature", "geometry", &err));
    return pair;
}

static rps_world *make_world(rps_form form) {
    const char *const name[2] = {"glass", "clay"};
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-6;
    must(rps_world_create(&options, &world, &err));
    for (int n = 0; n < 2; n++) {
        rps_material material = rps_material_default();
        material.name = name[n];
        material.young = n ? 1e7 : 5e7;
        material.poisson = 0.25;
        material.density = n ? 1800.0 : 2500.0;
        must(rps_world_add_material(world, &material, NULL, &err));
    }
    const rps_pair pair = make_pair(form);
    must(rps_world_set_pair(world, 0, 1, &pair, &err));
    return world;
}

/* The numbers with which the laws of a pair of materials calculate; true if the effective modulus is Hertz's. */
static bool show_pair(const rps_world *world, const char *one, const char *other) {
    enum { MOST = 64 };
    rps_pair_value row[MOST];
    const int a = rps_world_find_material(world, one), b = rps_world_find_material(world, other);
    if (a < 0 || b < 0 || !rps_world_has_pair(world, a, b)) return false;
    const rps_material m = rps_world_material(world, a), n = rps_world_material(world, b);
    const double modulus =
        1.0 / ((1.0 - m.poisson * m.poisson) / m.young + (1.0 - n.poisson * n.poisson) / n.young); /* Hertz 1882 */
    double found = NAN;
    const size_t count = rps_world_pair_values(world, a, b, row, MOST);
    printf("%s on %s, of %d materials:\n", m.name, n.name, rps_world_material_count(world));
    for (size_t k = 0; k < count && k < MOST; k++) {
        if (!row[k].parameter || isnan(row[k].value)) continue;
        printf("  %s %s: %s %.6g%s%s%s\n", rps_role_name(row[k].role), row[k].law, row[k].parameter, row[k].value,
               *row[k].unit ? " " : "", row[k].unit, row[k].given ? "" : " (default or derived)");
        if (strcmp(row[k].parameter, "effective_modulus") == 0) found = row[k].value;
    }
    return fabs(found - modulus) < 1e-9 * modulus;
}

/* Two balls meet obliquely, both spinning; `first` is added first. Velocity and spin of the glass ball afterwards. */
static void collide(rps_form form, int first, double motion[6]) {
    rps_world *world = make_world(form);
    uint64_t id[2];
    for (int k = 0; k < 2; k++) {
        const int n = k ? 1 - first : first;
        rps_body_def ball = rps_body_sphere(n ? 0.012 : 0.008);
        ball.material = n;
        ball.position[0] = n ? 0.012 : -0.008;
        ball.velocity[0] = n ? -0.5 : 0.7;
        ball.velocity[1] = n ? 0.1 : -0.2;
        ball.angular_velocity[0] = n ? 20.0 : 40.0;
        ball.angular_velocity[2] = n ? -60.0 : 10.0;
        must(rps_world_add_body(world, &ball, &id[n], &err));
    }
    must(rps_world_step(world, 4000, &err));
    must(rps_world_body_velocity(world, id[0], motion, &err));
    must(rps_world_body_angular_velocity(world, id[0], motion + 3, &err));
    rps_world_destroy(world);
}

/* The largest relative difference between the two orders. */
static double order_matters(rps_form form) {
    double one[6], other[6], difference = 0.0;
    collide(form, 0, one);
    collide(form, 1, other);
    for (int k = 0; k < 6; k++) difference = fmax(difference, fabs(one[k] - other[k]) / (k < 3 ? 0.7 : 40.0));
    return difference;
}

int main(int argc, char **argv) {
    if (argc > 1) list_file(argv[1]);
    list_laws(RPS_ROLE_SLIDE, "tracked");
    rps_world *world = make_world(rps_form_symmetric());
    const bool hertz = show_pair(world, "glass", "clay");
    /* A world knows the laws of the library and those that the program registered with it. */
    const bool same = rps_world_find_law(world, RPS_ROLE_SLIDE, "tracked") == rps_law_find(RPS_ROLE_SLIDE, "tracked");
    rps_world_destroy(world);
    const double symmetric = order_matters(rps_form_symmetric()), paper = order_matters(rps_form_paper());
    printf("the order of two bodies changes their motion by %.2g in the symmetric form, by %.2g in the paper's\n",
           symmetric, paper);
    return hertz && same && symmetric < 1e-9 && paper > 1e-6 ? 0 : 1;
}
