#!/bin/bash
# A new role of laws is a new block of role_list.inc, and a new account of dissipated energy is a line of it. The tree is
# compiled with a copy of the table that has one more of them, and nothing else: with a role `twin` that stores and
# dissipates energy and has a mode, and with an account of the normal role. Both have more accounts than a cache line of
# a load has room for. Compiled without optimization and for one instruction set, which is quick.
# Environment: BUILD, CC
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
cc=${CC:-cc}
unset MAKEFLAGS MFLAGS MAKELEVEL
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/check.sh
table=include/repose/role_list.inc

build() { # folder target...
    local there=$work/$1
    shift
    make -j2 BUILD="$there/build" CC="$cc -I$there/include" ISAS=sse2 OPT=-O0 KERNEL_OPT="-O0 -Wno-psabi" WERROR=-Werror \
        CFLAGS="-g0 -DRPS_ONE_ISA=1" "${@/#/$there/build/}" >"$work/out" 2>&1
}

mkdir -p "$work/twin/include/repose" "$work/normal/include/repose"
awk '/^#undef RPS_ROLE$/ {
    print "RPS_ROLE(TWIN, twin, \"a role of this test\")"
    print "RPS_ROLE_STORES(TWIN, twin, \"elastic energy of the twin\")"
    print "RPS_ROLE_ELASTIC(TWIN, twin, force, \"N\", \"elastic part of the force of the twin\")"
    print "RPS_ROLE_MODE(TWIN, twin, \"0 stick, 1 slip\")"
    print "RPS_ROLE_MODE_J(TWIN, twin)"
    print "RPS_ROLE_ACCOUNT(TWIN, twin, \"dissipated by the twin\")"
    print "" } { print }' $table >"$work/twin/include/repose/role_list.inc"
sed 's/^RPS_ROLE_COUNTS_AS(NORMAL, normal, DAMPING)/RPS_ROLE_ACCOUNT(NORMAL, normal, "dissipated by normal laws")/' \
    $table >"$work/normal/include/repose/role_list.inc"
! cmp -s $table "$work/twin/include/repose/role_list.inc" && ! cmp -s $table "$work/normal/include/repose/role_list.inc"
check "the copies of the table differ from it"

build twin repose
check "the tree compiles with another role"
build normal librepose-core.a
check "the engine compiles with an account of the normal role"

# --- the names of the role -------------------------------------------------------------------------------------------

repose=$work/twin/build/repose
cat >"$work/drop.yaml" <<'SCENE'
repose: 1
title: A ball rolls
gravity: [1, 0, -9.81]
materials: {clay: {young: 1 MPa, poisson: 0.3, density: 2000}}
pairs:
  - {between: [clay, clay], normal: {law: hooke, stiffness: 1000 N/m}, damping: {law: ratio, value: 0.1},
     slide: {law: tracked, static: 0.1, kinetic: 0.05, stiffness: 300 N/m},
     roll: {law: tracked, eta: 0.1}, spin: none, twin: none}
bodies:
  - {name: ground, shape: {plane: {normal: [0, 0, 1]}}, material: clay, fixed: true}
  - {name: ball, shape: {sphere: {radius: 1 cm}}, material: clay, position: [0, 0, 0.01]}
probes: {x: {body: ball, quantity: position.x}, w: {body: ball, quantity: angular_velocity.y}}
run: {step: 1e-4 s, until: 0.1 s}
output: {frames: 10 ms, series: 1 ms}
SCENE
sed 's/, twin: none//' "$work/drop.yaml" >"$work/plain.yaml"
"$repose" run "$work/drop.yaml" -o "$work/twin/run" >"$work/out" 2>"$work/err"
check "a scene that gives the role a law runs"
head -1 "$work/twin/run/series.csv" | tee "$work/out" | grep -q 'ledger_elastic_twin.*ledger_dissipated_twin.*ledger_drives'
check "columns of the ledger"
grep -c '"twin": 0' "$work/twin/run/summary.json" >"$work/out" && grep -qx 2 "$work/out"
check "the ledger of the summary"
"$repose" list quantities >"$work/out" && for name in twin_elastic_force twin_mode energy_twin elastic_twin dissipated_twin; do
    grep -q "^  $name  " "$work/out" || break
done
check "quantities of probes"
"$repose" list fields >"$work/out" && for name in twin_elastic_force twin_mode energy_twin; do grep -q "^  $name  " "$work/out" || break; done
check "fields of contacts"
"$repose" list keys >"$work/out" && grep -q '^ *pairs\[\].twin  .*a role of this test' "$work/out"
check "key of a scene"
"$repose" list laws >"$work/out" && grep -q '^twin none' "$work/out"
check "the law none"
! "$repose" run "$work/plain.yaml" >"$work/out" 2>&1 && grep -q 'twin' "$work/out"
check "a scene that forgets the role is told so"
"${REPOSE:-build/repose}" run "$work/plain.yaml" --isa sse2 -o "$work/plain" >"$work/out" 2>"$work/err" &&
    cmp <(cut -d, -f1-5 "$work/plain/series.csv") <(cut -d, -f1-5 "$work/twin/run/series.csv") >"$work/out"
check "the motion is that without the role, bit by bit"
"$repose" run "$work/drop.yaml" -o "$work/twin/part" --until 0.05 >"$work/out" 2>"$work/err" &&
    "$repose" run --resume "$work/twin/part" --until 0.1 >"$work/out" 2>"$work/err" &&
    cmp "$work/twin/part/series.csv" "$work/twin/run/series.csv" >"$work/out"
check "a run that goes on from a checkpoint leaves the same"

# --- its accounts ----------------------------------------------------------------------------------------------------

cat >"$work/accounts.c" <<'PROGRAM'
/* A row of four balls, the outer ones fixed, in which the law of each role claims to dissipate an energy of its own. */
#include <math.h>
#include <stdio.h>

#include <repose/law_kernel.h>
#include <repose/repose.h>

enum { STEPS = 10, CONTACTS = 3 };

#define LAW(SYMBOL, claims, load, ...)                                                                 \
    static void kernel_##SYMBOL(const rps_batch *b, const double *constant) {                          \
        (void)constant;                                                                                \
        for (int c = 0; c < b->count; c++) {                                                           \
            b->dissipated[RPS_ROLE_##SYMBOL][c] = b->touch[c] * claims;                                \
            load;                                                                                      \
        }                                                                                              \
    }                                                                                                  \
    static const rps_law law_##SYMBOL = {.size = sizeof(rps_law), .role = RPS_ROLE_##SYMBOL,           \
        .name = "claim", .summary = "", .citation = "", .reads = RPS_ARRAY(touch) | RPS_ARRAY(overlap), \
        .writes = RPS_ARRAY(dissipated) | __VA_ARGS__, .prepare = prepare,                             \
        .kernel = {kernel_##SYMBOL, kernel_##SYMBOL, kernel_##SYMBOL}

static rps_status prepare(const rps_law_setup *setup, double *constant, rps_error *err) {
    (void)setup, (void)constant, (void)err;
    return RPS_OK;
}

LAW(NORMAL, 1e-6, b->elastic_load[c] = 1e3 * b->touch[c] * b->overlap[c], RPS_ARRAY(elastic_load)), .exponent = 1.0};
LAW(DAMPING, 2e-6, (void)0, 0)};
LAW(SLIDE, 3e-6, (void)0, 0)};
LAW(ROLL, 4e-6, (void)0, 0)};
LAW(SPIN, 5e-6, (void)0, 0)};
#ifdef TWIN
LAW(TWIN, 6e-6, b->mode[RPS_ROLE_TWIN][1][c] = b->touch[c]; b->energy[RPS_ROLE_TWIN][c] = 7e-6 * b->touch[c];
    b->elastic[RPS_ROLE_TWIN][c] = 8.0 * b->touch[c], RPS_ARRAY(energy) | RPS_ARRAY(elastic)), .modes = 2};
#endif

static const rps_law *const laws[] = {&law_NORMAL, &law_DAMPING, &law_SLIDE, &law_ROLL, &law_SPIN,
#ifdef TWIN
                                      &law_TWIN
#endif
};

static rps_error err;
static rps_world *row(void) {
    rps_world *world;
    rps_world_options options = rps_world_options_default();
    options.step = 1e-5;
    options.contacts = true;
    rps_material clay = {.size = sizeof clay, .name = "clay", .young = 1e6, .poisson = 0.3, .density = 2000.0};
    rps_pair pair = rps_pair_default();
    if (rps_world_create(&options, &world, &err) || rps_world_add_material(world, &clay, NULL, &err)) return NULL;
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        if (rps_world_register_law(world, laws[k], &err) || rps_pair_own_law(&pair, laws[k], &err)) return NULL;
    }
    if (rps_world_set_pair(world, 0, 0, &pair, &err)) return NULL;
    for (int k = 0; k < CONTACTS + 1; k++) {
        rps_body_def ball = rps_body_sphere(0.01);
        ball.position[0] = 0.0199 * k;
        ball.kind = k == 0 || k == CONTACTS ? RPS_BODY_FIXED : RPS_BODY_FREE;
        if (rps_world_add_body(world, &ball, NULL, &err)) return NULL;
    }
    return world;
}

int main(void) {
    rps_world *world = row();
    rps_ledger ledger;
    if (!world || rps_world_step(world, STEPS, &err) || rps_world_ledger(world, &ledger, &err)) {
        return printf("%s\n", err.text), 1;
    }
    int wrong = 0;
    double claim[RPS_ROLE_COUNT];
    for (int role = 0; role < RPS_ROLE_COUNT; role++) claim[role] = (role + 1) * 1e-6;
#ifndef NORMAL
    claim[RPS_ROLE_DAMPING] += claim[RPS_ROLE_NORMAL];
    claim[RPS_ROLE_NORMAL] = 0.0;
#endif
    for (int role = 0; role < RPS_ROLE_COUNT; role++) {
        const double expected = STEPS * CONTACTS * claim[role]; /* sums of 30 terms round to 1e-14 of it */
        if (fabs(ledger.dissipated[role] - expected) <= 1e-12 * expected) continue;
        wrong++;
        printf("%s: %g J dissipated, expected %g J\n", rps_role_name(role), ledger.dissipated[role], expected);
    }
#ifdef TWIN
    const rps_contact *contact;
    size_t count;
    if (rps_world_contact_view(world, &contact, &count, &err)) return printf("%s\n", err.text), 1;
    wrong += count != CONTACTS || fabs(ledger.elastic[RPS_ROLE_TWIN] - CONTACTS * 7e-6) > 1e-18;
    for (size_t k = 0; k < count; k++) {
        wrong += contact[k].twin_mode[0] != 1.0 || contact[k].energy_twin[0] != 7e-6 ||
                 contact[k].twin_elastic_force[0] != 8.0 || contact[k].slide_mode[0] != 0.0;
    }
#endif
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
PROGRAM

accounts() { # folder name
    $cc -std=c17 -O1 "-I$work/$1/include" -Iinclude "-D$2" "$work/accounts.c" \
        "$work/$1/build/librepose-core.a" -fopenmp -lxxhash -lklu -lm -o "$work/$1/accounts" >"$work/out" 2>"$work/err" &&
        "$work/$1/accounts" >"$work/out" 2>&1
}
accounts twin TWIN
check "each role's energy reaches its account, with another role"
accounts normal NORMAL
check "each role's energy reaches its account, with an account of the normal role"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
