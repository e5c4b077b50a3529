/* One line per free sphere; numbers have the shortest form that reads back to the same bits. */
#include "io/particles.h"

#include "base/text.h"
#include "io/file.h"
#include "world/body_shape.h"

rps_status rps_particles_write(const rps_world *world, const char *path, rps_error *err) {
    const rps_bodies *bodies = &world->bodies;
    rps_text text;
    rps_text_init(&text, world->allocator, (size_t)1 << 40);
    rps_text_add(&text, "x,y,z,radius,mass,vx,vy,vz,wx,wy,wz,material\n", NULL);
    for (uint64_t id = 0, s; rps_bodies_next(bodies, &id, &s); id++) {
        if (bodies->kind[s][0] != RPS_BODY_FREE || rps_body_is_plane(bodies, s)) {
            continue;
        }
        const double *x = bodies->pose[s].position, *v = bodies->motion[s].velocity;
        const double *w = bodies->motion[s].angular_velocity;
        const double value[] = {x[0], x[1], x[2], bodies->pose[s].radius[0], bodies->mass[s][0], v[0], v[1], v[2],
                                w[0], w[1], w[2]};
        for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
            char number[RPS_DOUBLE_TEXT];
            rps_double_format(value[k], number);
            rps_text_add(&text, number, NULL);
            rps_text_add(&text, ",", NULL);
        }
        rps_text_add(&text, rps_world_material(world, bodies->material[s][0]).name, NULL);
        rps_text_add(&text, "\n", NULL);
    }
    rps_status status = text.status == RPS_OK
                            ? rps_file_replace(path, text.data, text.length, err)
                            : rps_fail(err, text.status, "cannot write %s: no memory for its text", path);
    rps_text_release(&text);
    return status;
}
