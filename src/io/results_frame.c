/* Appends one frame to the tables, block by block, and column by column within a block, since HDF5 stores columns. */
#include "io/results_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "io/sums.h"

static size_t block_of(size_t rows) {
    return rows < RPS_TABLE_BLOCK ? rows : RPS_TABLE_BLOCK;
}

static bool has_stress(const rps_results *results) {
    return rps_table_find(&results->bodies, "stress") >= 0;
}

static bool needs_moments(const rps_results *results) {
    return has_stress(results) || results->profiles.rows > 0;
}

rps_status rps_results_reserve(rps_results *results, const rps_world *world, size_t contacts, size_t bonds,
                               rps_error *err) {
    const rps_allocator *allocator = results->allocator;
    const size_t bodies = world->bodies.count, joints = results->joint_count;
    const size_t of_bodies = block_of(bodies), of_contacts = block_of(contacts), of_bonds = block_of(bonds);
    size_t rows = of_bodies > of_contacts ? of_bodies : of_contacts, bytes;
    rows = joints > rows ? joints : rows;
    rows = of_bonds > rows ? of_bonds : rows;
    RPS_TRY(rps_size_of_items(rows, 9 * sizeof(double), &bytes, err));
    RPS_TRY(
        rps_buffer_reserve(allocator, &results->scratch, &results->scratch_bytes, 0, bytes + sizeof(uint64_t), err));
    RPS_TRY(rps_buffer_reserve(allocator, &results->order, &results->order_bytes, 0, bodies * sizeof(uint32_t), err));
    RPS_TRY(rps_buffer_reserve(allocator, &results->contact, &results->contact_bytes, 0,
                               of_contacts * sizeof(rps_contact), err));
    RPS_TRY(
        rps_buffer_reserve(allocator, &results->bond, &results->bond_bytes, 0, of_bonds * sizeof(rps_bond_row), err));
    if (needs_moments(results)) {
        RPS_TRY(rps_size_of_items(bodies, 6 * sizeof(double), &bytes, err));
        RPS_TRY(rps_buffer_reserve(allocator, &results->stress, &results->stress_bytes, 0, bytes, err));
    }
    size_t used = results->frame_count * sizeof(rps_frame);
    void *frame = results->frame;
    rps_status status =
        rps_buffer_reserve(allocator, &frame, &results->frame_bytes, used, used + sizeof(rps_frame), err);
    results->frame = frame;
    RPS_TRY(status);
    const size_t chunk_b = rps_table_chunk_bytes(&results->bodies, of_bodies),
                 chunk_c = rps_table_chunk_bytes(&results->contacts, of_contacts),
                 chunk_d = rps_table_chunk_bytes(&results->bonds, of_bonds);
    size_t chunk = chunk_b > chunk_c ? chunk_b : chunk_c;
    chunk = chunk_d > chunk ? chunk_d : chunk;
    results->bodies.capacity = results->contacts.capacity = results->bonds.capacity =
        chunk > 0 ? &results->capacity : NULL;
    return chunk > 0 ? rps_chunk_reserve(&results->capacity, allocator, chunk, rps_world_workers(world), err) : RPS_OK;
}

/* Fetches the next block of contacts into *contact; returns its size. */
static size_t next_block(const rps_results *results, const rps_world *world, rps_contact_source *source,
                         const rps_contact **contact) {
    size_t n = block_of(source->left);
    *contact = source->given;
    if (source->given) {
        source->given += n;
    } else {
        n = rps_contacts_next(world, &source->cursor, results->contact, n);
        *contact = results->contact;
    }
    source->left = n > 0 ? source->left - n : 0;
    return n;
}

/* The stress of all bodies times their volumes. */
static void find_moments_of_bodies(rps_results *results, const rps_world *world, rps_contact_source source) {
    const size_t bodies = world->bodies.count;
    const rps_contact *contact;
    memset(results->stress, 0, bodies * 6 * sizeof(double));
    for (size_t n; (n = next_block(results, world, &source, &contact)) > 0;) {
        rps_frame_stress_add(world, results->order, contact, n, results->stress);
    }
}

/* Converts the scratch rows to the precision of the table. */
static rps_status append_column(rps_results *results, rps_table *table, int column, size_t first, size_t items,
                                rps_error *err) {
    const rps_column *c = &table->column[column];
    const size_t numbers = items * (size_t)(c->components * c->rows);
    const double *from = results->scratch;
    float *to = results->scratch;
    for (size_t n = 0; n < numbers && table->single && c->type == RPS_TYPE_double; n++) {
        const double value = from[n];
        if (fabs(value) > FLT_MAX && isfinite(value)) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "/%s/%s is %.6g, which single precision cannot hold; choose `output: {precision: double}`",
                            table->group, c->name, value);
        }
        to[n] = (float)value;
    }
    return rps_table_append(table, column, first, items, results->scratch, err);
}

static rps_status append_bodies(rps_results *results, const rps_world *world, rps_error *err) {
    rps_table *table = &results->bodies;
    const size_t bodies = world->bodies.count;
    const uint32_t *order = results->order;
    for (size_t first = 0, n; first < bodies; first += n) {
        n = block_of(bodies - first);
        for (int c = 0; c < table->columns; c++) {
            RPS_TRY(rps_results_written(results, err));
            if (strcmp(table->column[c].name, "stress") == 0) {
                memcpy(results->scratch, (double(*)[6])results->stress + first, n * 6 * sizeof(double));
            } else {
                RPS_TRY(rps_frame_body_values(world, order + first, n, &table->column[c], results->scratch, err));
            }
            RPS_TRY(append_column(results, table, c, first, n, err));
        }
    }
    return RPS_OK;
}

static rps_status append_contacts(rps_results *results, const rps_world *world, rps_contact_source source,
                                  rps_error *err) {
    rps_table *table = &results->contacts;
    const rps_contact *contact;
    size_t first = 0;
    for (size_t n; (n = next_block(results, world, &source, &contact)) > 0; first += n) {
        for (int c = 0; c < table->columns; c++) {
            RPS_TRY(rps_results_written(results, err));
            rps_frame_contact_values(world, contact, n, &table->column[c], results->scratch);
            RPS_TRY(append_column(results, table, c, first, n, err));
        }
    }
    return RPS_OK;
}

static rps_status append_bonds(rps_results *results, const rps_world *world, size_t bonds, rps_error *err) {
    rps_table *table = &results->bonds;
    for (size_t first = 0, n; first < bonds; first += n) {
        n = block_of(bonds - first);
        RPS_TRY(rps_frame_bond_rows(world, first, n, results->bond, err));
        for (int c = 0; c < table->columns; c++) {
            RPS_TRY(rps_results_written(results, err));
            rps_frame_bond_values(results->bond, n, c, results->scratch);
            RPS_TRY(append_column(results, table, c, first, n, err));
        }
    }
    return RPS_OK;
}

static rps_status append_sums(rps_results *results, const rps_frame *frame, rps_error *err) {
    const rps_sums_of of = {&results->bodies, &results->contacts,        &results->joints, &results->surface,
                            &results->loads,  &results->profiles.values, &results->bonds};
    const rps_surface_frame *surface = &results->surface.frame[results->frame_count];
    for (int c = 0; c < results->sums.columns; c++) {
        int32_t value[RPS_COLUMNS];
        rps_sums_value(&of, &results->sums.column[c], frame, surface, value);
        RPS_TRY(rps_table_append(&results->sums, c, 0, 1, value, err));
    }
    return RPS_OK;
}

rps_status rps_results_append(rps_results *results, const rps_world *world, const rps_frame *frame,
                              const rps_contact_source *source, rps_error *err) {
    rps_table *frames = &results->frames;
    if (needs_moments(results)) find_moments_of_bodies(results, world, *source);
    RPS_TRY(rps_profile_tables_append(&results->profiles, world, (const double(*)[6])results->stress, err));
    if (has_stress(results)) rps_frame_stress_finish(world, results->order, results->stress);
    RPS_TRY(append_bodies(results, world, err));
    if (results->contacts.columns > 0) RPS_TRY(append_contacts(results, world, *source, err));
    if (results->bonds.columns > 0) RPS_TRY(append_bonds(results, world, (size_t)frame->bonds, err));
    for (int c = 0; c < results->joints.columns && results->joint_count > 0; c++) {
        RPS_TRY(rps_results_written(results, err));
        RPS_TRY(rps_frame_joint_values(world, c, results->scratch, err));
        RPS_TRY(rps_table_append(&results->joints, c, 0, results->joint_count, results->scratch, err));
    }
    for (int c = 0; c < frames->columns; c++) {
        rps_frame_index_value(frame, &frames->column[c], results->scratch);
        RPS_TRY(rps_table_append(frames, c, 0, 1, results->scratch, err));
    }
    RPS_TRY(rps_results_written(results, err));
    RPS_TRY(rps_load_tables_append(&results->loads, world, err));
    RPS_TRY(rps_results_written(results, err));
    RPS_TRY(rps_surface_append(&results->surface, results->file, world, results->order, results->frame_count, err));
    return append_sums(results, frame, err);
}
