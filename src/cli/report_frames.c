/* Frames of a report: which columns and frames are written, and what the page is told of them. */
#include "report_frames.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns of the parts, in the order of rps_results_part; of bodies those that a page cannot do without. */
static const char *const report_first[REPORT_PARTS][RPS_COLUMNS] = {
    {"position", "sphere_radius", "radius", "orientation", "velocity", "id", "kind", "material", "group", "shape",
     "mass"},
    {"id_i", "id_j", "line", "point", "normal_load"},
    {"id_first", "id_second", "broken", "line", "tension"}};
/* Columns of bodies that are written as long as they fit, the first first. */
static const char *const report_more[] = {"force", "angular_velocity", "stress", "torque"};
enum { REPORT_MORE = sizeof report_more / sizeof *report_more };

/* Shares of the bytes that bodies, contacts and surfaces take at most. */
static const double report_share[] = {0.6, 0.3, 0.3};
enum { REPORT_NAMES = 1 << 14 }; /* bytes of names of materials and the like */
enum { REPORT_OF_BODIES, REPORT_OF_CONTACTS, REPORT_OF_SURFACES };

static bool report_wants(const report_frames *frames, int part, const char *name) {
    /* where the scene keeps the force of contacts alone */
    if (part == RPS_RESULTS_CONTACTS && strcmp(name, "force") == 0) {
        return !report_has_column(frames, part, "normal_load");
    }
    if (part == RPS_RESULTS_BODIES && strcmp(name, "sphere_radius") == 0 && frames->surfaces_left_out) return false;
    /* it turns the points of surfaces */
    if (part == RPS_RESULTS_BODIES && strcmp(name, "orientation") == 0 && !frames->rigid) return false;
    for (int k = 0; k < RPS_COLUMNS && report_first[part][k]; k++) {
        if (strcmp(name, report_first[part][k]) == 0) return true;
    }
    return false;
}

/* Bytes of an item that change from frame to frame; whole numbers, masses and radii seldom do. */
static double report_row_bytes(const rps_column *column) {
    const bool steady = column->type != RPS_TYPE_double || column->components * column->rows == 1;
    return steady ? 0.0 : 2.0 * column->components * column->rows;
}

/* Chooses the first columns; the bytes that a body, a contact and a bond take in a frame. */
static void report_choose_first(report_frames *frames, double row[REPORT_PARTS]) {
    const rps_column *column;
    for (int part = 0; part < REPORT_PARTS; part++) {
        row[part] = 0.0;
        for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
            report_range *range = &frames->range[part][c];
            range->chosen = report_wants(frames, part, column->name);
            if (!range->chosen) continue;
            row[part] += part != RPS_RESULTS_CONTACTS
                             ? report_row_bytes(column)
                             : (column->type == RPS_TYPE_double ? 2.0 : 4.0) * column->components * column->rows;
        }
    }
}

/* Chooses more columns of `bodies` rows while they fit; the bytes that are left. */
static double report_choose_more(report_frames *frames, double bodies, double bytes) {
    const rps_column *column;
    for (int k = 0; k < REPORT_MORE; k++) {
        for (size_t c = 0; (column = rps_results_reader_column(frames->reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
            if (strcmp(column->name, report_more[k]) != 0) continue;
            const double more = bodies * report_row_bytes(column);
            frames->range[RPS_RESULTS_BODIES][c].chosen = more <= bytes;
            frames->fields_left_out = frames->fields_left_out || more > bytes;
            if (more <= bytes) bytes -= more;
        }
    }
    return bytes;
}

static rps_status report_budget(report_frames *frames, double bytes, rps_error *err) {
    double row[REPORT_PARTS], bodies = 0.0, contacts = 0.0, bonds = 0.0, points, most;
    RPS_TRY(report_count_points(frames, &points, &most, err));
    frames->surfaces_left_out = 12.0 * most > report_share[REPORT_OF_SURFACES] * bytes;
    if (!frames->surfaces_left_out) RPS_TRY(report_find_local(frames, err));
    const double of_points = frames->surfaces_left_out ? 0.0 : 24.0 * most + (frames->rigid ? 0.0 : 6.0 * points);
    report_choose_first(frames, row);
    for (size_t f = 0; f < frames->count; f++) {
        bodies += (double)frames->frame[f].bodies;
        contacts += (double)frames->frame[f].contacts;
        bonds += (double)frames->frame[f].bonds;
    }
    double use = bodies * row[RPS_RESULTS_BODIES] + bonds * row[RPS_RESULTS_BONDS] + of_points;
    const double most_use = report_share[REPORT_OF_BODIES] * bytes;
    if (use > most_use) frames->stride = (size_t)ceil(use / most_use);
    const double shown = (double)frames->stride;
    use /= shown;
    contacts = contacts / shown * row[RPS_RESULTS_CONTACTS];
    const double for_contacts = fmin(contacts, fmax(report_share[REPORT_OF_CONTACTS] * bytes, bytes - use));
    const double frame_count = ceil((double)frames->count / shown);
    if (for_contacts < contacts && row[RPS_RESULTS_CONTACTS] > 0.0) {
        frames->contacts_most = (uint64_t)(for_contacts / frame_count / row[RPS_RESULTS_CONTACTS]);
    }
    report_choose_more(frames, bodies / shown, bytes - use - for_contacts);
    return RPS_OK;
}

/* Keeps the columns of a part that are chosen already, or none. */
static void report_keep_part(report_frames *frames, int part, bool wanted) {
    for (size_t c = 0; rps_results_reader_column(frames->reader, part, c) != NULL; c++) {
        report_range *range = &frames->range[part][c];
        range->chosen = range->chosen && wanted;
    }
}

void report_frames_choose(report_frames *frames, const char *color, bool contacts, bool bonds) {
    static const char *const always[] = {"position", "sphere_radius", "radius", "id", "kind", "orientation"};
    const size_t needed = sizeof always / sizeof *always - (frames->rigid ? 0 : 1); /* see report_wants */
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, RPS_RESULTS_BODIES, c)) != NULL; c++) {
        bool chosen = strcmp(column->name, color) == 0;
        for (size_t k = 0; k < needed; k++) {
            chosen = chosen || strcmp(column->name, always[k]) == 0;
        }
        frames->range[RPS_RESULTS_BODIES][c].chosen = chosen;
    }
    report_keep_part(frames, RPS_RESULTS_CONTACTS, contacts);
    report_keep_part(frames, RPS_RESULTS_BONDS, bonds);
}

static void report_frames_begin(report_frames *frames) {
    memset(frames, 0, sizeof *frames);
    rps_text_init(&frames->block, NULL, (size_t)1 << 40);
    frames->stride = 1;
    frames->contacts_most = UINT64_MAX;
    for (int k = 0; k < 3; k++) {
        frames->low[k] = INFINITY;
        frames->high[k] = -INFINITY;
    }
    for (int part = 0; part < REPORT_PARTS; part++) {
        for (int c = 0; c < RPS_COLUMNS; c++)
            frames->range[part][c] = (report_range){.low = INFINITY, .high = -INFINITY};
    }
}

void report_frames_adopt(report_frames *frames, rps_results_reader *reader) {
    double row[REPORT_PARTS];
    report_frames_begin(frames);
    frames->alone = true;
    frames->reader = reader;
    if (!reader) return;
    frames->frame = rps_results_reader_frames(reader, &frames->count);
    report_choose_first(frames, row);
    report_choose_more(frames, 0.0, 0.0);
}

rps_status report_frames_open(report_frames *frames, const char *directory, double bytes, rps_error *err) {
    report_frames_begin(frames);
    RPS_TRY(rps_results_open(directory, NULL, &frames->reader, err));
    frames->frame = rps_results_reader_frames(frames->reader, &frames->count);
    return report_budget(frames, bytes, err);
}

void report_frames_release(report_frames *frames) {
    void *held = frames->held, *lost = frames->lost;
    rps_results_reader_close(frames->reader);
    rps_text_release(&frames->block);
    rps_buffer_release(NULL, &frames->value, &frames->value_bytes);
    rps_buffer_release(NULL, &frames->packed, &frames->packed_bytes);
    rps_buffer_release(NULL, &frames->kept, &frames->kept_bytes);
    rps_buffer_release(NULL, &frames->local, &frames->local_bytes);
    rps_buffer_release(NULL, &frames->owner, &frames->owner_bytes);
    rps_buffer_release(NULL, &held, &frames->held_bytes);
    rps_buffer_release(NULL, &lost, &frames->lost_bytes);
    for (int part = 0; part < REPORT_PARTS; part++) {
        for (int c = 0; c < RPS_COLUMNS; c++) {
            rps_buffer_release(NULL, &frames->range[part][c].last, &frames->range[part][c].last_capacity);
        }
    }
    memset(frames, 0, sizeof *frames);
}

size_t report_frames_first(const report_frames *frames) {
    return frames->count ? (frames->count - 1) % frames->stride : 0;
}

bool report_frames_drawable(const report_frames *frames) {
    return report_has_column(frames, RPS_RESULTS_BODIES, "position");
}

/* --- a frame ------------------------------------------------------------------------------------------------------- */

/* The box around bodies with a radius: of spheres their own, of free bodies with surfaces that of the sphere around them. Planes
 * have none, and surfaces of bodies that are held widen the box themselves. */
static rps_status report_box(report_frames *frames, size_t index, rps_error *err) {
    const size_t items = (size_t)frames->frame[index].bodies;
    const bool spheres = report_has_column(frames, RPS_RESULTS_BODIES, "sphere_radius");
    const bool around = (frames->rigid || !spheres) && report_has_column(frames, RPS_RESULTS_BODIES, "radius");
    size_t bytes;
    RPS_TRY(rps_size_of_items(items, 6 * sizeof(double), &bytes, err));
    RPS_TRY(rps_buffer_reserve(NULL, &frames->value, &frames->value_bytes, 0, bytes + 1, err));
    double *place = frames->value, *own = place + 3 * items, *radius = own + items;
    int32_t *kind = (int32_t *)(radius + items);
    memset(own, 0, 3 * items * sizeof *own);
    RPS_TRY(report_read_bodies(frames, "position", index, 3, place, err));
    if (spheres) RPS_TRY(report_read_bodies(frames, "sphere_radius", index, 1, own, err));
    if (around) RPS_TRY(report_read_bodies(frames, "radius", index, 1, radius, err));
    const bool kinds = report_has_column(frames, RPS_RESULTS_BODIES, "kind");
    if (kinds) {
        RPS_TRY(rps_results_read(frames->reader, RPS_RESULTS_BODIES, "kind", index, kind, items * sizeof *kind, err));
    }
    RPS_TRY(report_find_lost(frames, place, kinds ? kind : NULL, items, err));
    for (size_t n = 0; n < items; n++) {
        if (frames->lost[n]) continue;
        const double r = own[n] > 0.0 || kind[n] != 0 ? own[n] : radius[n];
        if (r > 0.0 || !(spheres || around)) report_widen_box(frames, place + 3 * n, r);
    }
    return RPS_OK;
}

rps_status report_frames_make(report_frames *frames, size_t index, size_t number, rps_error *err) {
    rps_text_clear(&frames->block);
    RPS_TRY(report_box(frames, index, err));
    RPS_TRY(report_keep_contacts(frames, index, err));
    for (int part = 0; part < REPORT_PARTS; part++) RPS_TRY(report_columns(frames, part, index, number, err));
    return report_surface(frames, index, err);
}

rps_status report_frames_write(report_frames *frames, size_t index, size_t number, rps_replacement *out,
                               rps_error *err) {
    char id[32];
    RPS_TRY(report_frames_make(frames, index, number, err));
    snprintf(id, sizeof id, "frame-%zu", number);
    return report_write_block(frames, id, out, err);
}

/* --- what the page is told ----------------------------------------------------------------------------------------- */

/* Names that a column of whole numbers stands for, one in a line. */
static void report_describe_names(report_frames *frames, const char *name, rps_json *json) {
    char path[64], names[REPORT_NAMES];
    rps_h5_session session;
    snprintf(path, sizeof path, "bodies/%s", name);
    rps_h5_begin(&session);
    const hid_t dataset = H5Dopen2(rps_results_reader_file(frames->reader), path, H5P_DEFAULT);
    const bool known = dataset >= 0 && rps_h5_get_text(dataset, "names", names, sizeof names) && names[0];
    if (dataset >= 0) H5Dclose(dataset);
    rps_h5_end(&session);
    if (known) rps_json_string(json, "names", names);
}

static void report_describe_columns(report_frames *frames, int part, rps_json *json) {
    const rps_column *column;
    for (size_t c = 0; (column = rps_results_reader_column(frames->reader, part, c)) != NULL; c++) {
        const report_range *range = &frames->range[part][c];
        if (!range->chosen) continue;
        rps_json_open(json, NULL, '{', true);
        rps_json_string(json, "name", column->name);
        rps_json_string(json, "unit", column->unit);
        rps_json_integer(json, "components", (uint64_t)(column->components * column->rows));
        rps_json_integer(json, "width", (uint64_t)column->components);
        rps_json_boolean(json, "whole", column->type != RPS_TYPE_double);
        rps_json_number(json, "low", range->low <= range->high ? range->low : 0.0);
        rps_json_number(json, "high", range->low <= range->high ? range->high : 1.0);
        if (part == RPS_RESULTS_BODIES && column->type == RPS_TYPE_int32) {
            report_describe_names(frames, column->name, json);
        }
        rps_json_close(json, '}');
    }
}

void report_frames_describe(report_frames *frames, rps_json *json) {
    static const char *const name[REPORT_PARTS] = {"bodies", "contacts", "bonds"};
    const bool empty = !(frames->low[0] <= frames->high[0]);
    for (int part = 0; part < REPORT_PARTS; part++) {
        rps_json_open(json, name[part], '[', false);
        if (frames->reader) report_describe_columns(frames, part, json);
        rps_json_close(json, ']');
    }
    rps_json_open(json, "low", '[', true);
    for (int k = 0; k < 3; k++) rps_json_number(json, NULL, empty ? -1.0 : frames->low[k]);
    rps_json_close(json, ']');
    rps_json_open(json, "high", '[', true);
    for (int k = 0; k < 3; k++) rps_json_number(json, NULL, empty ? 1.0 : frames->high[k]);
    rps_json_close(json, ']');
    rps_json_boolean(json, "contactsLeftOut", frames->contacts_left_out);
    rps_json_open(json, "surface", '{', true);
    rps_json_integer(json, "points", frames->points);
    rps_json_integer(json, "triangles", frames->triangles);
    rps_json_boolean(json, "rigid", frames->rigid);
    rps_json_close(json, '}');
}

rps_status report_frames_text(const report_frames *frames, const char *name, void **text, size_t *capacity,
                              rps_error *err) {
    rps_status status = rps_buffer_reserve(NULL, text, capacity, 0, 1, err);
    if (status != RPS_OK) return status;
    *(char *)*text = '\0';
    rps_h5_session session;
    rps_h5_begin(&session);
    const hid_t dataset = H5Dopen2(rps_results_reader_file(frames->reader), name, H5P_DEFAULT);
    const hid_t type = dataset >= 0 ? H5Dget_type(dataset) : -1;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        const size_t bytes = H5Tget_size(type);
        status = rps_buffer_reserve(NULL, text, capacity, 0, bytes + 1, err);
        if (status == RPS_OK && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0) {
            status = rps_h5_damaged(err, "read the scene of", RPS_FRAMES_FILE);
        }
        if (status == RPS_OK) ((char *)*text)[bytes] = '\0';
    }
    if (type >= 0) H5Tclose(type);
    if (dataset >= 0) H5Dclose(dataset);
    rps_h5_end(&session);
    return status;
}
