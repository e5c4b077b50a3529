/* Units and meanings of the fields of contacts, from the table that makes rps_contact. */

/* python: */
/* Of a member of rps_contact; NULL: there is none of that name. */
const char *repose_contact_unit(const char *name);
const char *repose_contact_meaning(const char *name);
/* end */

static const struct repose_contact_field {
    const char *name, *unit, *meaning;
} repose_contact_fields[] = {
    {"id_i", "1", "id of body i, the lower one"},
    {"id_j", "1", "id of body j"},
    {"piece_i", "1", "touching piece of body i"},
    {"piece_j", "1", "touching piece of body j"},
    {"feature", "1", "number among several contacts of two pieces"},
    {"point", "m", "midpoint of the contact"},
    {"branch_i", "m", "from the centre of i to the point"},
    {"branch_j", "m", "from the centre of j to the point"},
#define RPS_CONTACT_FIELD(name, components, unit, meaning) {#name, unit, meaning},
#include <repose/contact_fields.inc>
#undef RPS_CONTACT_FIELD
};

static const struct repose_contact_field *repose_find_contact_field(const char *name) {
    for (size_t k = 0; k < sizeof repose_contact_fields / sizeof *repose_contact_fields; k++) {
        if (strcmp(repose_contact_fields[k].name, name) == 0) return &repose_contact_fields[k];
    }
    return NULL;
}

const char *repose_contact_unit(const char *name) {
    const struct repose_contact_field *field = repose_find_contact_field(name);
    return field ? field->unit : NULL;
}

const char *repose_contact_meaning(const char *name) {
    const struct repose_contact_field *field = repose_find_contact_field(name);
    return field ? field->meaning : NULL;
}
