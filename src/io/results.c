/* The writer of run.h5: two tables of rows (bodies, contacts) and an index of frames, which gives the row ranges of
 * each frame. If there are bonds, they have a table like that of contacts; joints have one with the same number of rows in
 * every frame. */
#include "io/results.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "io/file_names.h"
#include "io/journal.h"
#include "io/read_results.h"
#include "io/results_parts.h"
#include "io/sums.h"
#include "io/vtkhdf.h"
#include "io/xdmf.h"
#include "shape/shape.h"

#define SPARSE 50.0 /* descriptions take at most 1/SPARSE of the wall time */

/* A text of the scene as a dataset; none if it is empty. */
static bool write_text(hid_t file, const char *name, const char *meaning, const char *text, size_t bytes) {
    char sum[RPS_SUM_TEXT];
    if (!text || bytes == 0) {
        return true;
    }
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t properties = rps_h5_dataset_properties();
    bool good = H5Tset_size(type, bytes) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t dataset = good ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    good = dataset >= 0 && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0 &&
           rps_h5_set_text(dataset, "meaning", meaning) &&
           rps_h5_set_text(dataset, "checksum", rps_sums_text(text, bytes, sum));
    if (dataset >= 0) {
        good = H5Dclose(dataset) >= 0 && good;
    }
    H5Pclose(properties);
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

static bool write_scene(hid_t file, const rps_results_options *options) {
    return write_text(file, "scene", "the scene file as it was read", options->scene, options->scene_bytes) &&
           write_text(file, "included", "the files that the scene includes, each below its path", options->included,
                      options->included_bytes);
}

/* Failed writes are reported here, because the driver hides them from HDF5. */
rps_status rps_results_written(const rps_results *results, rps_error *err) {
    int error = rps_journal_error(results->journal);
    return error ? rps_file_fail(err, "write", results->path, error) : RPS_OK;
}

static rps_status results_flush(rps_results *results, rps_error *err) {
    return H5Fflush(results->file, H5F_SCOPE_LOCAL) < 0 ? rps_h5_fail(err, "write", results->path)
                                                        : rps_results_written(results, err);
}

static hid_t results_open_file(const char *path, bool create, const rps_allocator *allocator, hid_t *driver) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);
#if H5_VERSION_GE(1, 10, 7)
    /* A viewer may open the file during the run. */
    H5Pset_file_locking(access, 0, 1);
#endif
    /* No time stamps of the root group either, see rps_h5_dataset_properties. */
    H5Pset_obj_track_times(creation, 0);
    /* Sets the version of the superblock, so that others can read the file while it is written. For objects see
     * table.c. */
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    hid_t file = !rps_journal_set(access, allocator, driver) ? -1
                 : create                                    ? H5Fcreate(path, H5F_ACC_TRUNC, creation, access)
                                                             : H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

/* The meaning of the numbers in a column: names in the order of the numbers, one per line. */
static bool write_names(const rps_table *table, const char *column, const char *(*name)(const rps_world *, int),
                        const rps_world *world, rps_text *text) {
    const int c = rps_table_find(table, column);
    if (c < 0) return true; /* the scene does without it */
    rps_text_clear(text);
    for (int i = 0; name(world, i); i++) {
        rps_text_addf(text, NULL, i ? "\n%s" : "%s", name(world, i));
    }
    return text->status == RPS_OK && rps_h5_set_text(table->dataset[c], "names", rps_text_string(text));
}

static const char *shape_name(const rps_world *world, int i) {
    (void)world;
    return rps_shape_at(i) ? rps_shape_at(i)->name : NULL;
}

static const char *material_name(const rps_world *world, int i) {
    return i < rps_world_material_count(world) ? rps_world_material(world, i).name : NULL;
}

static const char *group_name(const rps_world *world, int i) {
    return rps_world_group_name(world, i);
}

static const char *joint_kind(const rps_world *world, int i) {
    static const char *const kind[RPS_JOINT_KINDS] = {"fixed",    "ball",   "hinge",     "slider",
                                                      "distance", "motor",  "universal", "cylindrical",
                                                      "screw",    "planar", "coupling"};
    (void)world;
    return i < RPS_JOINT_KINDS ? kind[i] : NULL;
}

static const char *joint_name(const rps_world *world, int i) {
    if ((size_t)i >= world->joints) return NULL;
    return world->joint[i].name ? world->joint[i].name : "";
}

/* Names that could not be written, for lack of memory or because HDF5 refused. */
static rps_status names_fail(const rps_results *results, rps_status text, rps_error *err) {
    return text == RPS_NO_MEMORY ? rps_file_fail(err, "write", results->path, ENOMEM)
                                 : rps_h5_fail(err, "write", results->path);
}

static rps_status create_joints(rps_results *results, const rps_world *world, rps_error *err) {
    if (results->joint_count == 0) return RPS_OK;
    RPS_TRY(rps_table_create(&results->joints, results->file, "joints", results->path, results->joint_count, err));
    rps_text text;
    rps_text_init(&text, results->allocator, (size_t)1 << 15);
    const bool good = write_names(&results->joints, "kind", joint_kind, world, &text);
    const rps_status status = text.status;
    write_names(&results->joints, "first", joint_name, world,
                &text); /* may fail: names of very many joints do not fit */
    rps_text_release(&text);
    return good ? RPS_OK : names_fail(results, status, err);
}

static rps_status write_all_names(rps_results *results, const rps_world *world, const rps_sums_of *of, rps_error *err) {
    rps_text text;
    rps_text_init(&text, results->allocator, (size_t)1 << 15); /* an attribute holds less than 64 KiB */
    const bool good = write_names(&results->bodies, "shape", shape_name, world, &text) &&
                      write_names(&results->bodies, "material", material_name, world, &text) &&
                      write_names(&results->bodies, "group", group_name, world, &text) &&
                      rps_sums_write_names(of, &results->sums, &text);
    const rps_status status = text.status;
    rps_text_release(&text);
    return good ? RPS_OK : names_fail(results, status, err);
}

static void choose_columns(rps_results *results, const rps_results_options *options, bool bonds) {
    rps_table *bodies = &results->bodies, *contacts = &results->contacts;
    if (bonds) rps_frame_bond_columns(&results->bonds);
    rps_frame_body_columns(bodies);
    rps_frame_contact_columns(contacts);
    rps_frame_index_columns(&results->frames, !options->no_contacts, options->world->cell.sheared, bonds);
    const bool wet = rps_world_is_wet(options->world) || options->world->liquid.films > 0;
    if (!wet) rps_table_drop(bodies, "liquid");
    if (!options->world->heat.on) rps_table_drop(bodies, "temperature");
    if (!wet) rps_table_drop(contacts, "bridge_volume");
    if (options->field_count > 0) rps_table_select(bodies, options->fields, options->field_count);
    if (options->contact_field_count > 0) {
        rps_table_select(contacts, options->contact_fields, options->contact_field_count);
    }
    if (options->no_contacts) contacts->columns = 0;
    bodies->single = contacts->single = results->bonds.single = options->single;
}

static rps_sums_of sums_of(const rps_results *results) {
    return (rps_sums_of){.bodies = &results->bodies,
                         .contacts = results->contacts.columns > 0 ? &results->contacts : NULL,
                         .joints = results->joint_count > 0 ? &results->joints : NULL,
                         .surface = results->surface.triangles > 0 ? &results->surface : NULL,
                         .loads = results->loads.triangle_count > 0 ? &results->loads : NULL,
                         .profiles = results->profiles.rows > 0 ? &results->profiles.values : NULL,
                         .bonds = results->bonds.columns > 0 ? &results->bonds : NULL};
}

static rps_status results_create(rps_results *results, const rps_results_options *options, rps_error *err) {
    errno = 0;
    results->file = results_open_file(results->path, true, results->allocator, &results->driver);
    if (results->file < 0) {
        return errno ? rps_file_fail(err, "create", results->path, errno) : rps_h5_fail(err, "create", results->path);
    }
    results->journal = rps_journal_of(results->file);
    if (!rps_h5_set_text(results->file, "format", "repose results 2") ||
        !rps_h5_set_text(results->file, "version", options->version ? options->version : "") ||
        !rps_h5_set_text(results->file, "title", results->title) ||
        !rps_h5_set_text(results->file, "variant", options->variant ? options->variant : "") ||
        !write_scene(results->file, options)) {
        return rps_h5_fail(err, "write", results->path);
    }
    choose_columns(results, options, rps_world_bond_count(options->world) > 0);
    const rps_sums_of of = sums_of(results);
    rps_sums_columns(&of, &results->sums);
    RPS_TRY(rps_table_create(&results->bodies, results->file, "bodies", results->path, options->bodies, err));
    if (results->contacts.columns > 0) {
        RPS_TRY(
            rps_table_create(&results->contacts, results->file, "contacts", results->path, 3 * options->bodies, err));
    }
    if (results->bonds.columns > 0) {
        RPS_TRY(rps_table_create(&results->bonds, results->file, "bonds", results->path,
                                 rps_world_bond_count(options->world), err));
    }
    RPS_TRY(rps_table_create(&results->frames, results->file, "frames", results->path, 1, err));
    RPS_TRY(rps_table_create(&results->sums, results->file, "checksums", results->path, 1, err));
    RPS_TRY(create_joints(results, options->world, err));
    RPS_TRY(rps_load_tables_create(&results->loads, options->world, results->file, results->path, err));
    RPS_TRY(rps_profile_tables_create(&results->profiles, options->world, results->file, results->path, err));
    RPS_TRY(write_all_names(results, options->world, &of, err));
    RPS_TRY(results_flush(results, err));
    return rps_journal_commit(results->journal, results->path, err);
}

/* Reads the index of the first frames of the existing file. */
static rps_status read_frames(rps_results *results, uint64_t frames, rps_error *err) {
    rps_results_reader *reader;
    RPS_TRY(rps_journal_claim(results->path, results->allocator, err));
    RPS_TRY(rps_results_open(results->path, results->allocator, &reader, err));
    size_t count;
    const rps_frame *frame = rps_results_reader_frames(reader, &count);
    rps_status status = RPS_OK;
    if (count < frames) {
        status =
            rps_fail(err, RPS_BAD_INPUT,
                     "%s has %zu frames, but the checkpoint was written after %llu; it was changed since, so begin "
                     "the run again",
                     results->path, count, (unsigned long long)frames);
    }
    void *copy = NULL;
    size_t bytes = (size_t)frames * sizeof(rps_frame);
    if (status == RPS_OK) {
        status = rps_buffer_reserve(results->allocator, &copy, &results->frame_bytes, 0, bytes, err);
    }
    if (status == RPS_OK && bytes > 0) {
        memcpy(copy, frame, bytes);
    }
    results->frame = copy;
    results->frame_count = status == RPS_OK ? (size_t)frames : 0;
    rps_results_reader_close(reader);
    return status;
}

static rps_status reopen(rps_results *results, const rps_results_options *options, rps_error *err) {
    errno = 0;
    results->file = results_open_file(results->path, false, results->allocator, &results->driver);
    if (results->file < 0) {
        return errno == ENOMEM ? rps_file_fail(err, "go on with", results->path, errno)
                               : rps_h5_damaged(err, "go on with", results->path);
    }
    results->journal = rps_journal_of(results->file);
    choose_columns(results, options, H5Lexists(results->file, "bonds", H5P_DEFAULT) > 0);
    const rps_frame nothing = {0}, *last = results->frame_count ? &results->frame[results->frame_count - 1] : &nothing;
    RPS_TRY(rps_table_resume(&results->bodies, results->file, "bodies", results->path, last->body_offset + last->bodies,
                             err));
    if (results->contacts.columns > 0) {
        RPS_TRY(rps_table_resume(&results->contacts, results->file, "contacts", results->path,
                                 last->contact_offset + last->contacts, err));
    }
    if (results->bonds.columns > 0) {
        RPS_TRY(rps_table_resume(&results->bonds, results->file, "bonds", results->path,
                                 last->bond_offset + last->bonds, err));
    }
    RPS_TRY(rps_table_resume(&results->frames, results->file, "frames", results->path, results->frame_count, err));
    if (H5Lexists(results->file, "checksums", H5P_DEFAULT) > 0) { /* files of earlier versions stay without */
        const rps_sums_of of = sums_of(results);
        rps_sums_columns(&of, &results->sums);
        RPS_TRY(rps_table_resume(&results->sums, results->file, "checksums", results->path, results->frame_count, err));
    }
    if (results->joint_count > 0) {
        const uint64_t rows = results->joint_count * results->frame_count;
        RPS_TRY(rps_table_resume(&results->joints, results->file, "joints", results->path, rows, err));
    }
    RPS_TRY(rps_load_tables_resume(&results->loads, results->file, results->path, results->frame_count, err));
    RPS_TRY(rps_profile_tables_resume(&results->profiles, results->file, results->path, results->frame_count, err));
    RPS_TRY(rps_surface_resume(&results->surface, results->file, results->frame_count, last->bodies, err));
    RPS_TRY(results_flush(results, err));
    return rps_journal_commit(results->journal, results->path, err);
}

static rps_status name_descriptions(rps_results *results, const rps_results_options *options, rps_error *err) {
    static const char *const name[RPS_DESCRIBED][RPS_DESCRIPTIONS] = {{RPS_BODIES_XDMF, RPS_BODIES_VTKHDF},
                                                                      {RPS_CONTACTS_XDMF, RPS_CONTACTS_VTKHDF},
                                                                      {RPS_SURFACES_XDMF, RPS_SURFACES_VTKHDF},
                                                                      {RPS_LOADS_XDMF, RPS_LOADS_VTKHDF}};
    for (int k = 0; k < RPS_DESCRIBED; k++) {
        for (int as = 0; as < (options->vtkhdf ? RPS_DESCRIPTIONS : RPS_AS_VTKHDF); as++) {
            RPS_TRY(rps_path_join(results->described_in[k][as], options->directory, name[k][as], err));
        }
    }
    return RPS_OK;
}

static rps_status results_make(const rps_results_options *options, bool resume, uint64_t frames, rps_results **out,
                               rps_error *err) {
    void *memory;
    *out = NULL;
    RPS_TRY(rps_memory_alloc_zeroed(options->allocator, sizeof(rps_results), &memory, err));
    rps_results *results = memory;
    results->allocator = options->allocator;
    results->file = results->driver = -1;
    results->joint_count = rps_world_joint_count(options->world);
    rps_frame_joint_columns(&results->joints);
    const char *title = options->title ? options->title : "";
    size_t kept = strnlen(title, sizeof results->title - 1);
    while (kept > 0 && ((unsigned char)title[kept] & 0xc0) == 0x80) kept--; /* do not split a UTF-8 character */
    memcpy(results->title, title, kept);
    rps_status status = rps_path_join(results->path, options->directory, RPS_FRAMES_FILE, err);
    if (status == RPS_OK) status = name_descriptions(results, options, err);
    if (status == RPS_OK) {
        status = rps_load_tables_init(&results->loads, options->world, options->single, results->allocator, err);
    }
    if (status == RPS_OK) {
        status = rps_profile_tables_init(&results->profiles, &options->profiles, results->allocator, err);
    }
    rps_surface_init(&results->surface, results->path, options->surface, results->allocator);
    results->surface.held_only = options->surface_held;
    results->surface.unsteady = options->surface_unsteady;
    results->surface.groups = options->surface_groups;
    if (status == RPS_OK && resume) {
        status = read_frames(results, frames, err);
    }
    if (status == RPS_OK) {
        rps_h5_session session;
        rps_h5_begin(&session);
        status = resume ? reopen(results, options, err) : results_create(results, options, err);
        rps_h5_end(&session);
    }
    if (status != RPS_OK) {
        results->described = results->frame_count; /* do not rewrite the descriptions */
        rps_results_close(results, NULL);
        return status;
    }
    *out = results;
    return RPS_OK;
}

rps_status rps_results_create(const rps_results_options *options, rps_results **out, rps_error *err) {
    return results_make(options, false, 0, out, err);
}

rps_status rps_results_resume(const rps_results_options *options, uint64_t frames, rps_results **out, rps_error *err) {
    return results_make(options, true, frames, out, err);
}

rps_status rps_results_sync(rps_results *results, rps_error *err) {
    int error = rps_journal_sync(results->journal);
    return error ? rps_file_fail(err, "write", results->path, error) : RPS_OK;
}

static rps_status write_xdmf(const rps_results *results, rps_error *err) {
    const rps_frame *frame = results->frame;
    const size_t frames = results->frame_count;
    RPS_TRY(rps_surface_describe(&results->surface, results->described_in[RPS_OF_SURFACES][RPS_AS_XDMF], results->title,
                                 frame, frames, err));
    RPS_TRY(rps_load_tables_describe(&results->loads, results->described_in[RPS_OF_LOADS][RPS_AS_XDMF], results->title,
                                     frame, frames, err));
    if (rps_table_find(&results->contacts, "line") >= 0) {
        RPS_TRY(rps_xdmf_write_contacts(results->described_in[RPS_OF_CONTACTS][RPS_AS_XDMF], results->title,
                                        &results->contacts, &results->bodies, frame, frames, results->allocator, err));
    }
    if (rps_table_find(&results->bodies, "position") < 0) return RPS_OK;
    return rps_xdmf_write_bodies(results->described_in[RPS_OF_BODIES][RPS_AS_XDMF], results->title, &results->bodies,
                                 frame, frames, results->allocator, err);
}

static rps_status write_vtkhdf(const rps_results *results, rps_error *err) {
    const rps_frame *frame = results->frame;
    const size_t frames = results->frame_count;
    if (!results->described_in[RPS_OF_BODIES][RPS_AS_VTKHDF][0]) return RPS_OK;
    RPS_TRY(rps_surface_link(&results->surface, results->described_in[RPS_OF_SURFACES][RPS_AS_VTKHDF], frames, err));
    RPS_TRY(rps_load_tables_link(&results->loads, results->described_in[RPS_OF_LOADS][RPS_AS_VTKHDF], frames, err));
    if (rps_table_find(&results->contacts, "line") >= 0) {
        RPS_TRY(rps_vtkhdf_write_contacts(results->described_in[RPS_OF_CONTACTS][RPS_AS_VTKHDF], &results->contacts,
                                          frame, frames, results->allocator, err));
    }
    if (rps_table_find(&results->bodies, "position") < 0) return RPS_OK;
    return rps_vtkhdf_write_bodies(results->described_in[RPS_OF_BODIES][RPS_AS_VTKHDF], &results->bodies, frame, frames,
                                   results->allocator, err);
}

/* A description lists every frame, so writing it after each frame would cost O(frames^2). It is written when the time
 * since the last write is many times what that write took, and at the close. */
static rps_status results_describe(rps_results *results, rps_error *err) {
    const double began = rps_clock_seconds();
    results->described = results->frame_count;
    RPS_TRY(write_xdmf(results, err));
    RPS_TRY(write_vtkhdf(results, err));
    const double now = rps_clock_seconds();
    results->describe_next = now + SPARSE * (now - began);
    return RPS_OK;
}

static rps_status write_frame(rps_results *results, const rps_world *world, rps_frame *frame,
                              rps_contact_source *source, rps_error *err) {
    frame->bonds = results->bonds.columns > 0 ? rps_world_bond_count(world) : 0;
    RPS_TRY(rps_results_reserve(results, world, (size_t)frame->contacts, (size_t)frame->bonds, err));
    rps_frame_order(world, results->order);
    RPS_TRY(rps_surface_prepare(&results->surface, world, results->order, results->frame_count, err));
    frame->shear_offset = world->cell.offset;
    frame->body_offset = results->bodies.items;
    frame->contact_offset = results->contacts.items;
    frame->bond_offset = results->bonds.items;
    if (results->contacts.columns == 0) frame->contacts = 0;
    rps_h5_session session;
    rps_h5_begin(&session);
    rps_status status = rps_results_append(results, world, frame, source, err);
    if (status == RPS_OK) {
        status = results_flush(results, err);
    } else if (rps_journal_error(results->journal) != 0) {
        status = rps_results_written(results, err); /* a failed write is the cause of HDF5's error */
    }
    if (status == RPS_OK) {
        status = rps_journal_commit(results->journal, results->path, err);
    }
    rps_h5_end(&session);
    RPS_TRY(status);
    rps_table_commit(&results->bodies, frame->bodies);
    rps_table_commit(&results->contacts, frame->contacts);
    rps_table_commit(&results->bonds, frame->bonds);
    rps_table_commit(&results->frames, 1);
    rps_table_commit(&results->sums, 1);
    rps_table_commit(&results->joints, results->joint_count);
    rps_load_tables_commit(&results->loads);
    rps_profile_tables_commit(&results->profiles);
    rps_surface_commit(&results->surface, world, results->frame_count);
    results->frame[results->frame_count++] = *frame;
    return rps_clock_seconds() >= results->describe_next ? results_describe(results, err) : RPS_OK;
}

rps_status rps_results_write_with(rps_results *results, const rps_world *world, double time, uint64_t step,
                                  const rps_contact *contact, size_t contacts, rps_error *err) {
    rps_frame frame = {.time = time, .step = step, .bodies = world->bodies.count, .contacts = contacts};
    rps_contact_source source = {.given = contact, .left = contacts};
    return write_frame(results, world, &frame, &source, err);
}

rps_status rps_results_write(rps_results *results, const rps_world *world, rps_error *err) {
    rps_frame frame = {
        .time = rps_world_time(world), .step = rps_world_steps(world), .bodies = world->bodies.count, .contacts = 0};
    size_t count = 0;
    if (rps_results_need_contacts(results)) RPS_TRY(rps_world_contacts(world, NULL, 0, &count, err));
    frame.contacts = count;
    rps_contact_source source = {.left = count};
    return write_frame(results, world, &frame, &source, err);
}

uint64_t rps_results_frames(const rps_results *results) {
    return results->frame_count;
}

bool rps_results_need_contacts(const rps_results *results) {
    return results->contacts.columns > 0 || rps_table_find(&results->bodies, "stress") >= 0 ||
           results->profiles.rows > 0;
}

rps_status rps_results_close(rps_results *results, rps_error *err) {
    if (!results) {
        return RPS_OK;
    }
    rps_h5_session session;
    rps_h5_begin(&session);
    bool good = rps_table_close(&results->bodies);
    good = rps_table_close(&results->contacts) && good;
    good = rps_table_close(&results->bonds) && good;
    good = rps_table_close(&results->frames) && good;
    good = rps_table_close(&results->joints) && good;
    good = rps_table_close(&results->sums) && good;
    good = rps_surface_close(&results->surface) && good;
    good = rps_load_tables_close(&results->loads) && good;
    good = rps_profile_tables_close(&results->profiles) && good;
    if (results->file >= 0) {
        good = H5Fclose(results->file) >= 0 && good;
    }
    if (results->driver >= 0) {
        H5FDunregister(results->driver);
    }
    rps_status status = good ? RPS_OK : rps_h5_fail(err, "close", results->path);
    rps_h5_end(&session);
    if (status == RPS_OK && results->described < results->frame_count) {
        status = results_describe(results, err);
    }
    rps_surface_release(&results->surface);
    rps_load_tables_release(&results->loads);
    rps_profile_tables_release(&results->profiles);
    const rps_allocator *allocator = results->allocator;
    void *frame = results->frame;
    rps_buffer_release(allocator, &frame, &results->frame_bytes);
    rps_buffer_release(allocator, &results->scratch, &results->scratch_bytes);
    rps_buffer_release(allocator, &results->order, &results->order_bytes);
    rps_buffer_release(allocator, &results->contact, &results->contact_bytes);
    rps_buffer_release(allocator, &results->bond, &results->bond_bytes);
    rps_buffer_release(allocator, &results->stress, &results->stress_bytes);
    rps_chunk_release(&results->capacity, allocator);
    rps_memory_release(allocator, results, sizeof *results);
    return status;
}
