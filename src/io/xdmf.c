/* Temporal collections: grains as points, contacts as lines, each column of the tables as an attribute. Each
 * attribute is a hyperslab: the rows of one frame in the flat array of all frames. */
#include "io/xdmf.h"

#include "io/file_names.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "io/file.h"

enum { PART = 1 << 16 /* bytes of text per write */ };

static void xdmf_add_escaped(rps_text *text, const char *string) {
    while (*string) {
        char c[RPS_XML_CHARACTER];
        rps_next_xml_character(&string, c);
        rps_text_add(text,
                     *c == '&'   ? "&amp;"
                     : *c == '<' ? "&lt;"
                     : *c == '>' ? "&gt;"
                     : *c == '"' ? "&quot;"
                                 : c,
                     NULL);
    }
}

/* Viewers do not support unsigned 64-bit integers; ids stay far below 2^63. */
static const char *number_type(const rps_table *table, rps_type type) {
    return type == RPS_TYPE_double  ? (table->single ? "Float\" Precision=\"4" : "Float\" Precision=\"8")
           : type == RPS_TYPE_int32 ? "Int\" Precision=\"4"
                                    : "Int\" Precision=\"8";
}

static void add_slab(rps_text *text, const rps_table *table, const rps_column *c, uint64_t offset, uint64_t count) {
    unsigned long long rows = (unsigned long long)c->rows, first = offset * rows, n = count * rows;
    unsigned long long total = first + n; /* later frames make the dataset longer */
    int k = c->components;
    const char *number = number_type(table, c->type);
    if (k == 1) {
        rps_text_addf(
            text, NULL,
            "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%llu\"><DataItem Dimensions=\"3 1\" Format=\"XML\">"
            "%llu 1 %llu</DataItem><DataItem Dimensions=\"%llu\" NumberType=\"%s\" Format=\"HDF\">" RPS_FRAMES_FILE
            ":/%s/%s</DataItem></DataItem>",
            n, first, n, total, number, table->group, c->name);
    } else {
        rps_text_addf(
            text, NULL,
            "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%llu %d\"><DataItem Dimensions=\"3 2\" Format=\"XML\">"
            "%llu 0 1 1 %llu %d</DataItem><DataItem Dimensions=\"%llu %d\" NumberType=\"%s\" "
            "Format=\"HDF\">" RPS_FRAMES_FILE ":/%s/%s</DataItem></DataItem>",
            n, k, first, n, k, total, k, number, table->group, c->name);
    }
}

static const char *attribute_type(int components) {
    return components == 1   ? "Scalar"
           : components == 3 ? "Vector"
           : components == 9 ? "Tensor"
           : components == 6 ? "Tensor6"
                             : "Matrix";
}

typedef struct collection {
    const char *name, *geometry, *topology;
    int nodes; /* per cell */
    const char *centre;
} collection;

/* A grid without cells. Viewers refuse empty slabs, so it has one point: the first body, which does not extend the
 * bounds. */
static void add_empty(rps_text *text, const rps_table *bodies, const rps_frame *frame) {
    int c = rps_table_find(bodies, "position");
    rps_text_add(text, "<Geometry GeometryType=\"XYZ\">", NULL);
    if (frame->bodies > 0 && c >= 0) {
        add_slab(text, bodies, &bodies->column[c], frame->body_offset, 1);
    } else {
        rps_text_add(text, "<DataItem Dimensions=\"1 3\" Format=\"XML\">0 0 0</DataItem>", NULL);
    }
    rps_text_add(text, "</Geometry></Grid>\n", NULL);
}

static void add_grid(rps_text *text, const collection *what, const rps_table *table, uint64_t offset, uint64_t count,
                     const rps_table *bodies, const rps_frame *frame) {
    char number[RPS_DOUBLE_TEXT];
    rps_text_addf(text, NULL,
                  "<Grid Name=\"%s\"><Time Value=\"%s\"/>\n"
                  "<Topology TopologyType=\"%s\" NumberOfElements=\"%llu\" NodesPerElement=\"%d\"/>\n",
                  what->name, rps_double_format(frame->time, number), what->topology, (unsigned long long)count,
                  what->nodes);
    if (count == 0) {
        add_empty(text, bodies, frame);
        return;
    }
    for (int c = 0; c < table->columns; c++) {
        const rps_column *column = &table->column[c];
        bool geometry = strcmp(column->name, what->geometry) == 0;
        if (!geometry && column->rows != 1) {
            continue;
        }
        if (geometry) {
            rps_text_add(text, "<Geometry GeometryType=\"XYZ\">", NULL);
        } else {
            rps_text_addf(text, NULL, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", column->name,
                          attribute_type(column->components), what->centre);
        }
        add_slab(text, table, column, offset, count);
        rps_text_add(text, geometry ? "</Geometry>\n" : "</Attribute>\n", NULL);
    }
    rps_text_add(text, "</Grid>\n", NULL);
}

/* A file being written, in parts, so that memory does not grow with the number of frames. */
typedef struct writer {
    rps_text text;
    rps_replacement file;
} writer;

static void drain(writer *w) {
    if (w->text.status != RPS_OK) w->file.error = ENOMEM;
    rps_replacement_write(&w->file, rps_text_string(&w->text), w->text.length);
    rps_text_clear(&w->text);
}

static rps_status xdmf_begin(writer *w, const char *path, const char *title, const char *name,
                             const rps_allocator *allocator, rps_error *err) {
    RPS_TRY(rps_replacement_begin(&w->file, path, err));
    rps_text *text = &w->text;
    rps_text_init(text, allocator, (size_t)1 << 30);
    rps_text_add(
        text,
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Xdmf Version=\"2.2\"><Domain>\n<Information Name=\"title\" "
        "Value=\"",
        NULL);
    xdmf_add_escaped(text, title);
    rps_text_addf(text, NULL, "\"/>\n<Grid Name=\"%s\" GridType=\"Collection\" CollectionType=\"Temporal\">\n", name);
    return RPS_OK;
}

/* Call after each frame. */
static void xdmf_next(writer *w) {
    if (w->text.length > PART) drain(w);
}

static rps_status xdmf_finish(writer *w, rps_error *err) {
    rps_text_add(&w->text, "</Grid>\n</Domain></Xdmf>\n", NULL);
    drain(w);
    rps_text_release(&w->text);
    return rps_replacement_end(&w->file, false, err);
}

rps_status rps_xdmf_write_bodies(const char *path, const char *title, const rps_table *bodies, const rps_frame *frame,
                                 size_t frames, const rps_allocator *allocator, rps_error *err) {
    static const collection grains = {"grains", "position", "Polyvertex", 1, "Node"};
    writer w;
    RPS_TRY(xdmf_begin(&w, path, title, grains.name, allocator, err));
    for (size_t f = 0; f < frames; f++, xdmf_next(&w)) {
        add_grid(&w.text, &grains, bodies, frame[f].body_offset, frame[f].bodies, bodies, &frame[f]);
    }
    return xdmf_finish(&w, err);
}

rps_status rps_xdmf_write_contacts(const char *path, const char *title, const rps_table *contacts,
                                   const rps_table *bodies, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err) {
    static const collection lines = {"contacts", "line", "Polyline", 2, "Cell"};
    writer w;
    RPS_TRY(xdmf_begin(&w, path, title, lines.name, allocator, err));
    for (size_t f = 0; f < frames; f++, xdmf_next(&w)) {
        add_grid(&w.text, &lines, contacts, frame[f].contact_offset, frame[f].contacts, bodies, &frame[f]);
    }
    return xdmf_finish(&w, err);
}

static void add_attributes(rps_text *text, const rps_table *table, const char *without, uint64_t offset, uint64_t count,
                           const char *centre) {
    for (int c = 0; c < table->columns; c++) {
        const rps_column *column = &table->column[c];
        if (strcmp(column->name, without) == 0) {
            continue;
        }
        rps_text_addf(text, NULL, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"%s\">", column->name,
                      attribute_type(column->components), centre);
        add_slab(text, table, column, offset, count);
        rps_text_add(text, "</Attribute>\n", NULL);
    }
}

static void add_surface(rps_text *text, const rps_surface_tables *tables, const rps_surface_frame *frame, double time) {
    const rps_table *points = tables->points;
    char number[RPS_DOUBLE_TEXT];
    rps_text_addf(text, NULL, "<Grid Name=\"surfaces\"><Time Value=\"%s\"/>\n", rps_double_format(time, number));
    if (frame->points == 0 || frame->triangles == 0) { /* one point, as viewers refuse empty slabs */
        rps_text_add(text,
                     "<Topology TopologyType=\"Polyvertex\" NumberOfElements=\"0\" NodesPerElement=\"1\"/>\n"
                     "<Geometry GeometryType=\"XYZ\"><DataItem Dimensions=\"1 3\" Format=\"XML\">0 0 0</DataItem>"
                     "</Geometry></Grid>\n",
                     NULL);
        return;
    }
    rps_text_addf(text, NULL, "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%llu\">",
                  (unsigned long long)frame->triangles);
    add_slab(text, tables->triangles, &tables->triangles->column[0], 0, frame->triangles);
    rps_text_add(text, "</Topology>\n<Geometry GeometryType=\"XYZ\">", NULL);
    add_slab(text, points, &points->column[0], frame->offset, frame->points);
    rps_text_add(text, "</Geometry>\n", NULL);
    add_attributes(text, points, points->column[0].name, frame->offset, frame->points, "Node");
    add_attributes(text, tables->vertices, "", 0, frame->points, "Node");
    rps_text_add(text, "</Grid>\n", NULL);
}

rps_status rps_xdmf_write_surfaces(const char *path, const char *title, const rps_surface_tables *tables,
                                   const rps_surface_frame *surface, const rps_frame *frame, size_t frames,
                                   const rps_allocator *allocator, rps_error *err) {
    writer w;
    RPS_TRY(xdmf_begin(&w, path, title, "surfaces", allocator, err));
    for (size_t f = 0; f < frames; f++, xdmf_next(&w)) {
        add_surface(&w.text, tables, &surface[f], frame[f].time);
    }
    return xdmf_finish(&w, err);
}

static void add_load_grid(rps_text *text, const rps_load_grid *grid, uint64_t frame, double time) {
    const rps_table *triangles = grid->triangles;
    char number[RPS_DOUBLE_TEXT];
    rps_text_addf(text, NULL,
                  "<Grid Name=\"loads\"><Time Value=\"%s\"/>\n"
                  "<Topology TopologyType=\"Triangle\" NumberOfElements=\"%llu\">",
                  rps_double_format(time, number), (unsigned long long)grid->triangle_count);
    add_slab(text, triangles, &triangles->column[0], 0, grid->triangle_count);
    rps_text_add(text, "</Topology>\n<Geometry GeometryType=\"XYZ\">", NULL);
    add_slab(text, grid->points, &grid->points->column[0], frame * grid->point_count, grid->point_count);
    rps_text_add(text, "</Geometry>\n", NULL);
    add_attributes(text, grid->values, "", frame * grid->triangle_count, grid->triangle_count, "Cell");
    add_attributes(text, triangles, triangles->column[0].name, 0, grid->triangle_count, "Cell");
    rps_text_add(text, "</Grid>\n", NULL);
}

rps_status rps_xdmf_write_loads(const char *path, const char *title, const rps_load_grid *grid, const rps_frame *frame,
                                size_t frames, const rps_allocator *allocator, rps_error *err) {
    writer w;
    RPS_TRY(xdmf_begin(&w, path, title, "loads", allocator, err));
    for (size_t f = 0; f < frames; f++, xdmf_next(&w)) add_load_grid(&w.text, grid, f, frame[f].time);
    return xdmf_finish(&w, err);
}
