/* The findings of reading a mesh: how many of each kind, and where the first of them are. */
#ifndef RPS_MESH_REPORT_H
#define RPS_MESH_REPORT_H

#include "base/text.h"
#include "mesh/mesh.h"

/*
 * X(name, kind, unit of `amount` or "", sentence). RPS_FINDING_DONE: repaired, the surface is the one that was meant.
 * RPS_FINDING_NOTE: worth knowing. RPS_FINDING_WARNING: bodies may behave otherwise than the user expects.
 * The sentence follows a number of things; places are those of the first ones in the order of the mesh.
 */
#define RPS_FINDING_LIST(X)                                                                                         \
    X(UNUSED, NOTE, "", "points that no triangle uses: left out")                                                   \
    X(WELDED, DONE, "", "points that lie on others to within the weld length: welded to them")                      \
    X(NO_AREA, DONE, "", "triangles without area: removed")                                                         \
    X(DUPLICATE, DONE, "", "triangles given more than once: kept once")                                             \
    X(OPPOSED, WARNING, "",                                                                                         \
      "triangles given with both turns: kept once; a sheet that is touched from both sides is `side: both`")        \
    X(SPLIT, DONE, "", "points within an edge of another triangle: the edge is split there")                        \
    X(TURNED, DONE, "", "triangles that did not turn like their neighbours: turned")                                \
    X(INSIDE_OUT, DONE, "", "closed shells inside out: turned, so that their volume is positive")                   \
    X(SLIVER, NOTE, "", "slivers, more than 1000 times as long as high: kept, they change no contact")              \
    X(BRANCHED, NOTE, "", "edges of three or more triangles")                                                       \
    X(TWISTED, NOTE, "", "edges whose triangles do not turn alike, on a surface that has no two sides")             \
    X(BOUNDARY, WARNING, "m", "edges of one triangle alone: the surface ends there, and bodies may come behind it") \
    X(CAVITY, NOTE, "", "closed shells inside another that turn the other way: cavities")                           \
    X(DOUBLE_WALL, WARNING, "",                                                                                     \
      "closed shells inside another that turn the same way: a double wall, whose volume counts twice")              \
    X(CROSSING, WARNING, "", "pairs of triangles that cross: contacts on the crossing line are not joined")         \
    X(OVERLAPPING, NOTE, "", "pairs of triangles that overlap in one plane: one contact there")                     \
    X(UNSEARCHED, WARNING, "", "searches given up as too long: crossings or points within edges may be unknown")

#define RPS_FINDING_ENTRY(name, kind, unit, sentence) RPS_FOUND_##name,
typedef enum rps_finding { RPS_FINDING_LIST(RPS_FINDING_ENTRY) RPS_FINDINGS } rps_finding;
#undef RPS_FINDING_ENTRY

typedef enum rps_finding_kind { RPS_FINDING_DONE, RPS_FINDING_NOTE, RPS_FINDING_WARNING } rps_finding_kind;

enum { RPS_MESH_PLACES = 3 };

typedef struct rps_mesh_place {
    uint32_t triangle; /* of the file, from 0; UINT32_MAX: of none */
    double at[3];      /* m, in the axes of the mesh */
} rps_mesh_place;

typedef struct rps_mesh_found {
    size_t count;
    double amount; /* in the unit of the finding, as the length of all boundary edges */
    rps_mesh_place place[RPS_MESH_PLACES];
} rps_mesh_found;

typedef struct rps_mesh_report {
    size_t given_points, given_triangles; /* of the file */
    rps_mesh_side side;
    double weld_length;           /* m */
    double smallest_edge;         /* m, of the mesh */
    size_t shells, closed_shells; /* parts joined by edges */
    rps_mesh_found found[RPS_FINDINGS];
} rps_mesh_report;

/* Counts one more, with its place among the first. */
void rps_mesh_note(rps_mesh_report *report, rps_finding finding, uint32_t triangle, const double at[3]);

/* Where both sides of a surface are touched, its boundary is no reason for a warning. */
rps_finding_kind rps_mesh_kind_of(const rps_mesh_report *report, rps_finding finding);
/* The number, the sentence and the places: "3 triangles without area: removed; triangle 17 at (0.1, 0, 2) m, ...". Triangles are
 * counted from 1. Nothing if there is none. RPS_NO_MEMORY, RPS_BAD_INPUT for the limit of the text. */
rps_status rps_mesh_describe(const rps_mesh_report *report, rps_finding finding, rps_text *text, rps_error *err);

#endif
