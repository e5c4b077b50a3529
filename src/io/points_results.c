/* Frames of run.h5 as points: all fields of bodies, and the names of materials. */
#include <string.h>

#include "base/c_locale.h"
#include "io/points_parts.h"

/* The names of materials, in the order of their numbers. */
static rps_status read_materials(rps_points_source *source, rps_error *err) {
    rps_points *p = &source->points;
    rps_h5_session session;
    rps_status status = RPS_OK;
    static const size_t capacity = (size_t)1 << 16; /* an attribute holds less */
    void *text;
    RPS_TRY(rps_memory_alloc_zeroed(source->allocator, capacity, &text, err));
    rps_h5_begin(&session);
    hid_t dataset = H5Dopen2(rps_results_reader_file(source->results), "bodies/material", H5P_DEFAULT);
    if (dataset >= 0) {
        rps_h5_get_text(dataset, "names", text, capacity);
        H5Dclose(dataset);
    }
    rps_h5_end(&session);
    for (char *at = text, *end; *at && status == RPS_OK; at = end) {
        double index;
        char name[RPS_POINT_NAME];
        end = at + strcspn(at, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        rps_snprintf(name, sizeof name, "%.*s", (int)sizeof name - 1, at);
        if (p->types == RPS_POINT_TYPES) break; /* the others have numbers alone */
        status = rps_points_type(p, name, &index, err);
        end += !last;
    }
    rps_memory_release(source->allocator, text, capacity);
    return status;
}

/* Widens what the reader gave in place, from the last number on. */
static void points_widen(void *value, size_t numbers, rps_type type) {
    double *out = value;
    for (size_t n = numbers; n-- > 0 && type != RPS_TYPE_double;) {
        int32_t small;
        uint64_t large;
        if (type == RPS_TYPE_int32) {
            memcpy(&small, (const char *)value + n * sizeof small, sizeof small);
            out[n] = small;
        } else {
            memcpy(&large, (const char *)value + n * sizeof large, sizeof large);
            out[n] = (double)large;
        }
    }
}

rps_status rps_points_read_results(rps_points_source *source, bool wanted, bool *more, rps_error *err) {
    rps_points *p = &source->points;
    size_t count;
    const rps_frame *frame = rps_results_reader_frames(source->results, &count);
    *more = source->frame < count;
    if (!*more) return RPS_OK;
    p->time = frame[source->frame].time;
    p->step = frame[source->frame].step;
    if (!wanted) return RPS_OK;
    RPS_TRY(read_materials(source, err));
    RPS_TRY(rps_points_resize(p, (size_t)frame[source->frame].bodies, err));
    for (size_t c = 0; rps_results_reader_column(source->results, RPS_RESULTS_BODIES, c); c++) {
        const rps_column *column = rps_results_reader_column(source->results, RPS_RESULTS_BODIES, c);
        rps_point_field *field;
        RPS_TRY(
            rps_points_add_field(p, column->name, column->components, column->type != RPS_TYPE_double, &field, err));
        RPS_TRY(rps_results_read(source->results, RPS_RESULTS_BODIES, column->name, source->frame, field->value,
                                 field->bytes, err));
        points_widen(field->value, p->count * (size_t)column->components, column->type);
    }
    return RPS_OK;
}
