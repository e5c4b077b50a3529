/*
 * The fluid of a world: what a program may set, and its effect on one body as the sphere of the same volume.
 *
 * At depth s of the centre below the level a sphere of radius R has the volume pi/3 (s + R)^2 (2 R - s) in the fluid, whose
 * integral over s is pi/12 (s + R)^3 (3 R - s): buoyancy and its potential energy agree to round-off.
 */
#include "world/fluid.h"

#include <repose/fluid.h>

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "world/body_shape.h"
#include "world/share.h"
#include "world/world_internal.h"

static const char *const drag_name[RPS_DRAG_COUNT] = {
    [RPS_DRAG_NONE] = "none",
    [RPS_DRAG_STOKES] = "stokes",
    [RPS_DRAG_SCHILLER_NAUMANN] = "schiller_naumann",
    [RPS_DRAG_DI_FELICE] = "di_felice",
};

const char *rps_drag_name(rps_drag drag) {
    return (unsigned)drag < RPS_DRAG_COUNT ? drag_name[drag] : NULL;
}

rps_fluid rps_fluid_default(void) {
    return (rps_fluid){.size = sizeof(rps_fluid), .drag = RPS_DRAG_NONE, .porosity = 1.0, .level = INFINITY};
}

rps_fluid rps_world_fluid(const rps_world *world) {
    return world->fluid;
}

void rps_fluid_pack(const rps_fluid *fluid, double number[RPS_FLUID_NUMBERS]) {
    number[0] = fluid->drag;
    number[1] = fluid->density;
    number[2] = fluid->viscosity;
    memcpy(number + 3, fluid->velocity, sizeof fluid->velocity);
    number[6] = fluid->porosity;
    number[7] = fluid->level;
}

bool rps_fluid_unpack(const double number[RPS_FLUID_NUMBERS], rps_fluid *fluid) {
    *fluid = rps_fluid_default();
    if (!(number[0] >= 0.0 && number[0] < RPS_DRAG_COUNT)) return false;
    fluid->drag = (rps_drag)number[0];
    fluid->density = number[1];
    fluid->viscosity = number[2];
    memcpy(fluid->velocity, number + 3, sizeof fluid->velocity);
    fluid->porosity = number[6];
    fluid->level = number[7];
    return true;
}

/* --- one body ------------------------------------------------------------------------------------------------------- */

static double volume_of_radius(double r) {
    return 4.0 / 3.0 * RPS_PI * ((r * r) * r);
}

double rps_fluid_volume(const rps_world *world, size_t slot) {
    return volume_of_radius(rps_body_equal_radius(world, slot));
}

/* m, of a point below the level. */
static double depth_below(const rps_world *world, const double x[3]) {
    const double *g = world->options.gravity;
    const rps_vec3 down = rps_vec3_of(g);
    return world->fluid.level + rps_vec3_dot(down, rps_vec3_of(x)) / rps_vec3_norm(down);
}

double rps_fluid_immersed(const rps_world *world, size_t slot) {
    if (world->fluid.level == INFINITY) return 1.0;
    const double r = rps_body_equal_radius(world, slot), s = depth_below(world, world->bodies.pose[slot].position);
    if (s >= r) return 1.0;
    return s <= -r ? 0.0 : ((s + r) * (s + r)) * (2.0 * r - s) / (4.0 * ((r * r) * r));
}

double rps_fluid_potential(const rps_world *world, size_t slot) {
    const rps_fluid *fluid = &world->fluid;
    const rps_vec3 g = rps_vec3_of(world->options.gravity);
    double x[3];
    if (!(fluid->density > 0.0) || world->bodies.kind[slot][0] != RPS_BODY_FREE) return 0.0;
    rps_world_unwrapped(world, slot, x);
    const double r = rps_body_equal_radius(world, slot), volume = volume_of_radius(r);
    if (fluid->level == INFINITY) return fluid->density * volume * rps_vec3_dot(g, rps_vec3_of(x));
    const double s = depth_below(world, x), low = s < r ? s : r;
    if (s <= -r) return 0.0;
    const double cap = RPS_PI / 12.0 * ((low + r) * (low + r) * (low + r)) * (3.0 * r - low);
    return fluid->density * rps_vec3_norm(g) * (cap + volume * (s - low));
}

static double stokes_drag(const rps_fluid *fluid, double diameter) {
    return 3.0 * RPS_PI * fluid->viscosity * diameter;
}

static double schiller_naumann_drag(const rps_fluid *fluid, double diameter, double speed) {
    const double stokes = stokes_drag(fluid, diameter);
    const double reynolds = fluid->density * speed * diameter / fluid->viscosity;
    if (!(reynolds > 1e-30)) return stokes;
    if (reynolds > 1000.0) return stokes * (0.44 / 24.0) * reynolds;
    return stokes * (1.0 + 0.15 * rps_pow_positive(reynolds, 0.687));
}

/* C |u| = (.63 sqrt|u| + 4.8 sqrt(eta/(eps rho d)))^2 has no 0/0 at rest. */
static double di_felice_drag(const rps_fluid *fluid, double diameter, double speed) {
    const double eps = fluid->porosity, kinematic = fluid->viscosity / (eps * fluid->density * diameter);
    const double root = 0.63 * sqrt(speed) + 4.8 * sqrt(kinematic), reynolds = speed / kinematic;
    double chi = 3.7;
    if (reynolds > 1e-30) {
        const double off = 1.5 - rps_log_positive(reynolds) / rps_log_positive(10.0);
        chi = 3.7 -
              0.65 * rps_exp_bounded(-0.5 * off * off > -RPS_EXP_BOUNDED_MAX ? -0.5 * off * off : -RPS_EXP_BOUNDED_MAX);
    }
    const double voids = rps_pow_positive(eps, 2.0 - chi);
    return RPS_PI / 8.0 * fluid->density * (diameter * diameter) * voids * (root * root);
}

double rps_fluid_drag(const rps_fluid *fluid, double diameter, double speed) {
    switch (fluid->drag) {
    case RPS_DRAG_STOKES:
        return stokes_drag(fluid, diameter);
    case RPS_DRAG_SCHILLER_NAUMANN:
        return schiller_naumann_drag(fluid, diameter, speed);
    case RPS_DRAG_DI_FELICE:
        return di_felice_drag(fluid, diameter, speed);
    default:
        return 0.0;
    }
}

double rps_world_drag_time(const rps_world *world, size_t slot) {
    const rps_bodies *bodies = &world->bodies;
    if (world->fluid.drag == RPS_DRAG_NONE || slot >= bodies->count || bodies->kind[slot][0] != RPS_BODY_FREE) {
        return INFINITY;
    }
    const rps_vec3 relative =
        rps_vec3_sub(rps_vec3_of(bodies->motion[slot].velocity), rps_vec3_of(world->fluid.velocity));
    const double diameter = 2.0 * rps_body_equal_radius(world, slot);
    return bodies->mass[slot][0] / rps_fluid_drag(&world->fluid, diameter, rps_vec3_norm(relative));
}

/* --- setting it ----------------------------------------------------------------------------------------------------- */

bool rps_fluid_is_none(const rps_fluid *fluid) {
    return fluid->drag == RPS_DRAG_NONE && !(fluid->density > 0.0);
}

static rps_status check_fluid_numbers(const rps_fluid *f, rps_error *err) {
    if (f->size != sizeof *f) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: size is %u, expected %zu; begin with rps_fluid_default()", f->size,
                        sizeof *f);
    }
    if ((unsigned)f->drag >= RPS_DRAG_COUNT) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: drag %d is none of rps_drag", (int)f->drag);
    }
    if (!(f->density >= 0.0 && isfinite(f->density))) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: its density is %g kg/m^3; expected a finite number, at least 0",
                        f->density);
    }
    if (!(f->viscosity >= 0.0 && isfinite(f->viscosity))) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: its viscosity is %g Pa s; expected a finite number, at least 0",
                        f->viscosity);
    }
    if (!rps_finite3(f->velocity)) return rps_fail(err, RPS_BAD_INPUT, "fluid: its velocity is not finite");
    if (isnan(f->level) || f->level == -INFINITY) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "fluid: its level is %g m; expected a number, or infinity for a fluid everywhere", f->level);
    }
    return RPS_OK;
}

static rps_status check_drag(const rps_fluid *f, rps_error *err) {
    const char *name = drag_name[f->drag];
    if (f->drag == RPS_DRAG_NONE) return RPS_OK;
    if (!(f->viscosity > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: drag `%s` needs a viscosity above 0; that of water is 1e-3 Pa s",
                        name);
    }
    if (f->drag != RPS_DRAG_STOKES && !(f->density > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "fluid: drag `%s` needs a density above 0, for the number of Reynolds; `stokes` needs none",
                        name);
    }
    if (f->drag != RPS_DRAG_DI_FELICE ? f->porosity != 1.0 : !(f->porosity > 0.0 && f->porosity <= 1.0)) {
        return rps_fail(err, RPS_BAD_INPUT, "fluid: its porosity is %g; %s", f->porosity,
                        f->drag == RPS_DRAG_DI_FELICE ? "expected a number above 0, at most 1"
                                                      : "only drag `di_felice` takes one");
    }
    return RPS_OK;
}

/* A level needs a direction along which height is counted, and one height for a body and its images. */
static rps_status check_level(const rps_world *world, const rps_fluid *f, const double g[3], rps_error *err) {
    if (f->level == INFINITY) return RPS_OK;
    if (!(rps_vec3_norm2(rps_vec3_of(g)) > 0.0)) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "fluid: `level` is a height against gravity, but the world has no gravity; set gravity, or "
                        "leave the level out");
    }
    for (int k = 0; k < 3; k++) {
        if (world->cell.period[k] > 0.0 && g[k] != 0.0) {
            return rps_fail(
                err, RPS_BAD_INPUT,
                "fluid: gravity has a part along %c, which is periodic, so that a level has no height there", "xyz"[k]);
        }
    }
    return RPS_OK;
}

rps_status rps_fluid_check(const rps_world *world, const rps_fluid *fluid, const double gravity[3], rps_error *err) {
    RPS_TRY(check_fluid_numbers(fluid, err));
    RPS_TRY(check_drag(fluid, err));
    if (rps_fluid_is_none(fluid)) return RPS_OK;
    if (world->options.dimension == 2) {
        return rps_fail(err, RPS_UNSUPPORTED, "a planar world takes no fluid: its drag laws are those of spheres");
    }
    if (world->cell.sheared) {
        return rps_fail(err, RPS_UNSUPPORTED, "a sheared world takes no fluid, which would have to shear with it");
    }
    return check_level(world, fluid, gravity, err);
}

rps_status rps_fluid_check_gravity(const rps_world *world, const double gravity[3], rps_error *err) {
    return rps_fluid_is_none(&world->fluid) ? RPS_OK : check_level(world, &world->fluid, gravity, err);
}

void rps_fluid_book_potential(rps_world *world, double sign) {
    for (size_t s = 0; s < world->bodies.count && world->fluid.density > 0.0; s++) {
        rps_exact_sum_add(&world->energy_brought, sign * rps_fluid_potential(world, s));
    }
}

rps_status rps_world_set_fluid(rps_world *world, const rps_fluid *fluid, rps_error *err) {
    RPS_GIVEN(world);
    RPS_GIVEN(fluid);
    RPS_TRY(rps_share_refuse(world, "a fluid", err));
    RPS_TRY(rps_fluid_check(world, fluid, world->options.gravity, err));
    rps_fluid_book_potential(world, -1.0);
    world->fluid = *fluid;
    world->in_fluid = !rps_fluid_is_none(fluid);
    rps_fluid_book_potential(world, 1.0);
    return RPS_OK;
}
