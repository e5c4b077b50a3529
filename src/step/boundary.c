/* Exact sums over the contacts of a fixed or driven body. */
#include "step/boundary.h"

#include "base/flush.h"

/* A sum of two numbers is rounded only once anyway, so most bodies need no exact sum. */
enum { PLAIN = 2 };

enum { BLOCK = 64 };

static rps_vec3 boundary_value(const rps_exact_sum sum[3]) {
    return rps_vec3_flush(
        (rps_vec3){rps_exact_sum_value(&sum[0]), rps_exact_sum_value(&sum[1]), rps_exact_sum_value(&sum[2])});
}

/* The next active loads of references *r to end - 1, at most BLOCK of them; *r moves past them. */
static size_t next_loads(const rps_load_rows *contacts, size_t *r, size_t end, const rps_contact_load *load[BLOCK]) {
    size_t n = 0;
    for (; *r < end && n < BLOCK; ++*r) {
        const uint32_t line = contacts->line[*r];
        load[n] = &contacts->load[line];
        n += contacts->has_load[line];
    }
    return n;
}

void rps_boundary_add(const rps_load_rows *contacts, size_t slot, rps_exact_sum sum[6]) {
    const rps_contact_load *load[BLOCK];
    double x[6][BLOCK];
    const size_t end = contacts->reference_begin[slot + 1];
    for (size_t r = contacts->reference_begin[slot], n; (n = next_loads(contacts, &r, end, load)) > 0;) {
        for (size_t c = 0; c < n; c++) {
            for (int k = 0; k < 3; k++) {
                x[k][c] = load[c]->force[k];
                x[3 + k][c] = load[c]->torque[k];
            }
        }
        for (int k = 0; k < 6; k++) rps_exact_sum_add_all(&sum[k], x[k], n);
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

/* Adds the dissipated energies that the loads of references begin to end - 1 carry in `accounts` accounts. */
static void account_loads(const rps_load_rows *contacts, size_t begin, size_t end, rps_exact_sum *account,
                          int accounts) {
    const rps_contact_load *load[BLOCK];
    double x[BLOCK];
    for (size_t r = begin, n; (n = next_loads(contacts, &r, end, load)) > 0;) {
        for (int k = 0; k < accounts; k++) {
            for (size_t c = 0; c < n; c++) x[c] = rps_flush(load[c]->number[rps_load_account(k)]);
            rps_exact_sum_add_all(&account[k], x, n);
        }
    }
}

void rps_boundary_account(const rps_load_rows *contacts, size_t slot, rps_exact_sum account[RPS_ACCOUNTS]) {
    const size_t begin = contacts->reference_begin[slot], own = contacts->reference_own[slot];
    /* the body is j in those before `own` */
    account_loads(contacts, begin, own, account + RPS_LOAD_ACCOUNTS, RPS_ACCOUNTS - RPS_LOAD_ACCOUNTS);
    account_loads(contacts, own, contacts->reference_begin[slot + 1], account, RPS_LOAD_ACCOUNTS);
}

void rps_accounts_clear(rps_exact_sum account[RPS_ACCOUNTS]) {
    for (int k = 0; k < RPS_ACCOUNTS; k++) rps_exact_sum_clear(&account[k]);
}

void rps_accounts_merge(rps_exact_sum to[RPS_ACCOUNTS], const rps_exact_sum account[RPS_ACCOUNTS]) {
    for (int k = 0; k < RPS_ACCOUNTS; k++) {
        if (account[k].pending == 0 && account[k].special == 0) continue; /* an addition leaves one of them */
        rps_exact_sum_merge(&to[k], &account[k]);
    }
}
