/* Counting and describing findings. */
#include "mesh/report.h"

#define KIND_ENTRY(name, kind, unit, sentence) RPS_FINDING_##kind,
#define UNIT_ENTRY(name, kind, unit, sentence) unit,
#define SENTENCE_ENTRY(name, kind, unit, sentence) sentence,
static const rps_finding_kind finding_kind[] = {RPS_FINDING_LIST(KIND_ENTRY)};
static const char *const finding_unit[] = {RPS_FINDING_LIST(UNIT_ENTRY)};
static const char *const finding_sentence[] = {RPS_FINDING_LIST(SENTENCE_ENTRY)};

void rps_mesh_note(rps_mesh_report *report, rps_finding finding, uint32_t triangle, const double at[3]) {
    rps_mesh_found *found = &report->found[finding];
    if (found->count < RPS_MESH_PLACES) {
        rps_mesh_place *place = &found->place[found->count];
        place->triangle = triangle;
        memcpy(place->at, at, sizeof place->at);
    }
    found->count++;
}

rps_finding_kind rps_mesh_kind_of(const rps_mesh_report *report, rps_finding finding) {
    if (finding == RPS_FOUND_BOUNDARY && report->side == RPS_MESH_BOTH) return RPS_FINDING_NOTE;
    return finding_kind[finding];
}

rps_status rps_mesh_describe(const rps_mesh_report *report, rps_finding finding, rps_text *text, rps_error *err) {
    const rps_mesh_found *found = &report->found[finding];
    if (found->count == 0) return RPS_OK;
    RPS_TRY(rps_text_addf(text, err, "%zu %s", found->count, finding_sentence[finding]));
    if (finding_unit[finding][0] != '\0') {
        RPS_TRY(rps_text_addf(text, err, ", %.6g %s in all", found->amount, finding_unit[finding]));
    }
    for (size_t k = 0; k < found->count && k < RPS_MESH_PLACES; k++) {
        const rps_mesh_place *place = &found->place[k];
        RPS_TRY(rps_text_add(text, k == 0 ? "; " : ", ", err));
        if (place->triangle != UINT32_MAX) {
            RPS_TRY(rps_text_addf(text, err, "triangle %zu ", (size_t)place->triangle + 1));
        }
        RPS_TRY(rps_text_addf(text, err, "at (%.9g, %.9g, %.9g) m", place->at[0], place->at[1], place->at[2]));
    }
    return found->count > RPS_MESH_PLACES ? rps_text_add(text, ", ...", err) : RPS_OK;
}
