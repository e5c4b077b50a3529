/* Exact sums over the contacts of a fixed or driven body. */
#include "step/boundary.h"

#include "base/flush.h"

/* A sum of two numbers is rounded only once anyway, so most bodies need no exact sum. */
enum { PLAIN = 2 };

static rps_vec3 boundary_value(const rps_exact_sum sum[3]) {
    return rps_vec3_flush(
        (rps_vec3){rps_exact_sum_value(&sum[0]), rps_exact_sum_value(&sum[1]), rps_exact_sum_value(&sum[2])});
}

void rps_boundary_add(const rps_load_rows *contacts, size_t slot, rps_exact_sum sum[6]) {
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const rps_contact_load *load = &contacts->load[contacts->line[r]];
        if (!contacts->has_load[contacts->line[r]]) continue;
        for (int k = 0; k < 3; k++) {
            rps_exact_sum_add(&sum[k], load->force[k]);
            rps_exact_sum_add(&sum[3 + k], load->torque[k]);
        }
    }
}

void rps_boundary_load(const rps_load_rows *contacts, size_t slot, rps_vec3 *force, rps_vec3 *torque) {
    const size_t begin = contacts->reference_begin[slot], end = contacts->reference_begin[slot + 1];
    size_t loads = 0;
    *force = *torque = rps_vec3_zero();
    for (size_t r = begin; r < end && loads <= PLAIN; r++) {
        const rps_contact_load *load = &contacts->load[contacts->line[r]];
        if (!contacts->has_load[contacts->line[r]]) continue;
        *force = rps_vec3_add(*force, rps_vec3_of(load->force));
        *torque = rps_vec3_add(*torque, rps_vec3_of(load->torque));
        loads++;
    }
    *force = rps_vec3_flush(*force);
    *torque = rps_vec3_flush(*torque);
    if (loads <= PLAIN) return;
    rps_exact_sum sum[6];
    for (int k = 0; k < 6; k++) rps_exact_sum_clear(&sum[k]);
    rps_boundary_add(contacts, slot, sum);
    *force = boundary_value(sum);
    *torque = boundary_value(sum + 3);
}

void rps_boundary_account(const rps_load_rows *contacts, size_t slot, rps_exact_sum account[4]) {
    for (size_t r = contacts->reference_begin[slot]; r < contacts->reference_begin[slot + 1]; r++) {
        const rps_contact_load *load = &contacts->load[contacts->line[r]];
        if (!contacts->has_load[contacts->line[r]]) continue;
        const int first = r < contacts->reference_own[slot] ? 2 : 0;
        if (load->dissipated_a != 0.0) rps_exact_sum_add(&account[first], rps_flush(load->dissipated_a));
        if (load->dissipated_b != 0.0) rps_exact_sum_add(&account[first + 1], rps_flush(load->dissipated_b));
    }
}

void rps_accounts_clear(rps_exact_sum account[4]) {
    for (int k = 0; k < 4; k++) rps_exact_sum_clear(&account[k]);
}

void rps_accounts_merge(rps_world *world, const rps_exact_sum account[4]) {
    for (int k = 0; k < 4; k++) {
        if (account[k].pending == 0 && account[k].special == 0) continue; /* an addition leaves one of them */
        rps_exact_sum_merge(&world->boundary_dissipated[k], &account[k]);
    }
}
