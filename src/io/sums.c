/* A checksum is the low 32 bits of the hash chain that rps_table_append computes over the bytes of a column. */
#include "io/sums.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* A table that a checksum column covers. */
typedef struct covered {
    const rps_table *table;
    const char *name; /* of its group in that of the column; "": the group itself */
} covered;

/* The tables of a column, in the order of its numbers; returns their count. */
static int tables_of(const rps_sums_of *of, const char *column, covered out[3]) {
    const bool bodies = strcmp(column, "bodies") == 0, contacts = strcmp(column, "contacts") == 0;
    if (strcmp(column, "surface") == 0) {
        const rps_table *const table[3] = {&of->surface->points, &of->surface->vertices, &of->surface->corners};
        for (int k = 0; k < 3; k++) out[k] = (covered){table[k], strchr(rps_surface_part_name(k), '/') + 1};
        return 3;
    }
    if (strcmp(column, "loads") == 0) {
        const rps_table *const table[RPS_LOAD_PARTS] = {&of->loads->points, &of->loads->values, &of->loads->intervals};
        for (int k = 0; k < RPS_LOAD_PARTS; k++) out[k] = (covered){table[k], strchr(rps_load_part_name(k), '/') + 1};
        return RPS_LOAD_PARTS;
    }
    out[0] = (covered){bodies ? of->bodies : contacts ? of->contacts : of->joints, ""};
    if (strcmp(column, "profiles") == 0) out[0] = (covered){of->profiles, strchr(rps_profile_values_group, '/') + 1};
    if (strcmp(column, "bonds") == 0) out[0].table = of->bonds;
    return 1;
}

static void sums_add(const rps_sums_of *of, rps_table *sums, const char *name, bool there) {
    covered part[3];
    int components = 0;
    if (!there) return;
    for (int k = 0, n = tables_of(of, name, part); k < n; k++) components += part[k].table->columns;
    rps_table_add(sums,
                  (rps_column){name, "1", "a number for each dataset in the attribute, over the rows of the frame",
                               RPS_TYPE_int32, components, 1});
}

void rps_sums_columns(const rps_sums_of *of, rps_table *sums) {
    sums->columns = 0;
    rps_table_add(sums, (rps_column){"frame", "1", "over the rows of the frame in /frames and /surface/frames",
                                     RPS_TYPE_int32, 1, 1});
    sums_add(of, sums, "bodies", of->bodies != NULL);
    sums_add(of, sums, "contacts", of->contacts != NULL);
    sums_add(of, sums, "joints", of->joints != NULL);
    sums_add(of, sums, "surface", of->surface != NULL);
    sums_add(of, sums, "loads", of->loads != NULL);
    sums_add(of, sums, "profiles", of->profiles != NULL);
    sums_add(of, sums, "bonds", of->bonds != NULL);
}

/* Names such as "position", or with a subgroup "points/position". */
static void add_names(const rps_table *table, const char *group, rps_text *text) {
    for (int c = 0; c < table->columns; c++) {
        rps_text_addf(text, NULL, "%s%s%s%s", text->length ? "\n" : "", group, *group ? "/" : "",
                      table->column[c].name);
    }
}

bool rps_sums_write_names(const rps_sums_of *of, const rps_table *sums, rps_text *text) {
    bool good = true;
    for (int c = 1; c < sums->columns && good; c++) {
        covered part[3];
        rps_text_clear(text);
        for (int k = 0, n = tables_of(of, sums->column[c].name, part); k < n; k++) {
            add_names(part[k].table, part[k].name, text);
        }
        good = text->status == RPS_OK && rps_h5_set_text(sums->dataset[c], "names", rps_text_string(text));
    }
    return good;
}

void rps_sums_value(const rps_sums_of *of, const rps_column *column, const rps_frame *frame,
                    const rps_surface_frame *surface, int32_t *out) {
    covered part[3];
    if (strcmp(column->name, "frame") == 0) {
        *out = rps_sums_frame(frame, surface);
        return;
    }
    for (int k = 0, n = tables_of(of, column->name, part); k < n; k++) {
        for (int c = 0; c < part[k].table->columns; c++) *out++ = (int32_t)(uint32_t)part[k].table->sum[c];
    }
}

int32_t rps_sums_frame(const rps_frame *frame, const rps_surface_frame *surface) {
    const size_t common = offsetof(rps_frame, bond_offset); /* files without bonds have the checksums that they had */
    uint64_t chain = rps_hash64_chain(0, frame, common);
    chain = rps_hash64_chain(chain, surface, sizeof *surface);
    if (frame->bond_offset > 0 || frame->bonds > 0) {
        chain = rps_hash64_chain(chain, &frame->bond_offset, sizeof *frame - common);
    }
    return (int32_t)(uint32_t)chain;
}

const char *rps_sums_text(const char *text, size_t bytes, char out[RPS_SUM_TEXT]) {
    snprintf(out, RPS_SUM_TEXT, "%016" PRIx64, rps_hash64(text, bytes));
    return out;
}
