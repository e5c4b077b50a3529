/* Bonds in a checkpoint. All of a bond is state: its bodies, law and parameters, rest frames and memory. A world that
 * never had a bond has no such sections. */
#include <math.h>
#include <string.h>

#include "io/state_parts.h"

enum { ACCOUNT_WORDS = RPS_SUM_WORDS + 1 };
static const char accounts_name[] = "bonds: dissipated, breaks", laws_name[] = "bonds: laws";
static const char values_name[] = "bonds: parameters", pairs_name[] = "bonds: ids", records_name[] = "bonds";
static const char *const sections[] = {accounts_name, laws_name, values_name, pairs_name, records_name, NULL};

/* --- saving --------------------------------------------------------------------------------------------------------- */

static rps_status save_bond_settings(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_bonds *bonds = &world->bonds;
    rps_text text;
    void *to;
    rps_text_init(&text, world->allocator, (size_t)1 << 30);
    for (size_t k = 0; k < bonds->settings; k++) rps_text_addf(&text, NULL, "%s\n", bonds->setting[k].law->name);
    rps_status status = text.status == RPS_OK ? RPS_OK : rps_fail(err, text.status, "no memory for names of bond laws");
    if (status == RPS_OK) {
        status = rps_serializer_text(serializer, laws_name, rps_text_string(&text), text.length, err);
    }
    rps_text_release(&text);
    RPS_TRY(status);
    RPS_TRY(
        rps_serializer_add(serializer, values_name, RPS_TYPE_double, RPS_BOND_PARAMETERS, bonds->settings, &to, err));
    for (size_t k = 0; k < bonds->settings; k++) {
        memcpy((double *)to + k * RPS_BOND_PARAMETERS, bonds->setting[k].value, sizeof bonds->setting[k].value);
    }
    return RPS_OK;
}

static rps_status save_bonds(const rps_world *world, rps_serializer *serializer, rps_error *err) {
    const rps_bonds *bonds = &world->bonds;
    uint64_t account[ACCOUNT_WORDS];
    void *to;
    if (!bonds->used) return RPS_OK;
    rps_sum_to_words(&bonds->dissipated, account);
    account[RPS_SUM_WORDS] = bonds->breaks;
    RPS_TRY(rps_serializer_words(serializer, accounts_name, account, ACCOUNT_WORDS, err));
    if (bonds->count == 0) return RPS_OK;
    RPS_TRY(save_bond_settings(world, serializer, err));
    RPS_TRY(rps_serializer_add(serializer, pairs_name, RPS_TYPE_uint64, 2, bonds->count, &to, err));
    for (size_t k = 0; k < bonds->count; k++) {
        memcpy((uint64_t *)to + 2 * k, bonds->bond[k].body, sizeof bonds->bond[k].body);
    }
    RPS_TRY(rps_serializer_add(serializer, records_name, RPS_TYPE_double, RPS_BOND_NUMBERS, bonds->count, &to, err));
    for (size_t k = 0; k < bonds->count; k++) {
        memcpy((double *)to + k * (size_t)RPS_BOND_NUMBERS, &bonds->bond[k].record, sizeof bonds->bond[k].record);
    }
    return RPS_OK;
}

/* --- checking ------------------------------------------------------------------------------------------------------- */

typedef struct saved_bonds {
    const char *laws; /* one name a line */
    const double *value;
    const uint64_t *pair;
    const rps_bond_record *record;
    size_t settings, count;
} saved_bonds;

static rps_status find_bonds(const rps_checkpoint *c, saved_bonds *out, rps_error *err) {
    const rps_section *s;
    *out = (saved_bonds){.count = 0};
    if (!rps_checkpoint_find(c, pairs_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_need(c, pairs_name, RPS_TYPE_uint64, 2, SIZE_MAX, &s, err));
    out->pair = s->data;
    out->count = s->count;
    RPS_TRY(rps_checkpoint_need(c, records_name, RPS_TYPE_double, RPS_BOND_NUMBERS, out->count, &s, err));
    out->record = s->data;
    RPS_TRY(rps_checkpoint_need(c, values_name, RPS_TYPE_double, RPS_BOND_PARAMETERS, SIZE_MAX, &s, err));
    out->value = s->data;
    out->settings = s->count;
    return rps_checkpoint_text(c, laws_name, &out->laws, NULL, err);
}

/* Reads the name of the next law, cut at 127 bytes. False past the end of the text. */
static bool next_law(const char **laws, char name[128]) {
    const size_t length = strcspn(*laws, "\n");
    if ((*laws)[length] == 0) return false;
    const size_t kept = length < 127 ? length : 127;
    memcpy(name, *laws, kept);
    name[kept] = 0;
    *laws += length + 1;
    return true;
}

static rps_status check_settings(const rps_world *world, const rps_checkpoint *c, const saved_bonds *saved,
                                 rps_error *err) {
    const char *laws = saved->laws;
    for (size_t k = 0; k < saved->settings; k++) {
        char name[128];
        double value[RPS_BOND_PARAMETERS];
        if (!next_law(&laws, name)) return rps_state_contradicts(c, "a bond has no law", k, err);
        const rps_bond_law *law = rps_world_find_bond_law(world, name);
        if (!law) {
            return rps_fail(err, RPS_BAD_INPUT,
                            "the state in %s has bonds with the law `%s`, which this world does not know; register it "
                            "first",
                            rps_checkpoint_path(c), name);
        }
        if (rps_bond_values(law, saved->value + k * RPS_BOND_PARAMETERS, value, NULL) != RPS_OK) {
            return rps_state_contradicts(c, "the parameters of a bond make no sense", k, err);
        }
    }
    return RPS_OK;
}

static bool is_whole(double x, double low, double high) {
    return x >= low && x <= high && x == floor(x);
}

static const rps_bond_law *law_of_setting(const rps_world *world, const saved_bonds *saved, size_t setting) {
    const char *laws = saved->laws;
    char name[128] = "";
    for (size_t k = 0; k <= setting; k++) (void)next_law(&laws, name);
    return rps_world_find_bond_law(world, name);
}

static bool is_turn(rps_quat q) {
    return fabs(((q.w * q.w + q.x * q.x) + q.y * q.y) + q.z * q.z - 1.0) < 1e-9;
}

static bool path_is_sound(const rps_world *world, const saved_bonds *saved, const rps_bond_record *r) {
    static const rps_bond_path none;
    const rps_bond_law *law = law_of_setting(world, saved, (size_t)r->setting);
    if (law->measure == RPS_BOND_OF_PLACES) return memcmp(&r->path, &none, sizeof none) == 0;
    return is_turn(r->path.axes) && is_turn(r->path.half);
}

static bool record_is_sound(const rps_bond_record *r, size_t settings) {
    bool sound = rps_all_finite((const double *)r, RPS_BOND_NUMBERS) && r->length > 0.0 && r->strength > 0.0 &&
                 is_whole(r->setting, 0.0, (double)settings - 1.0) &&
                 is_whole(r->contact, RPS_BOND_CONTACT_BESIDE, RPS_BOND_CONTACT_NONE) &&
                 is_whole(r->failure, 0.0, RPS_BOND_FAILURES);
    for (int k = 0; sound && k < 3; k++) sound = is_whole(r->image[k], -1e9, 1e9);
    for (int k = 0; sound && k < 2; k++) sound = is_turn(r->frame[k]);
    return sound;
}

static rps_status check_bonds(const rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    const size_t bodies = (size_t)from->bodies;
    saved_bonds saved;
    uint64_t account[ACCOUNT_WORDS];
    if (!rps_checkpoint_find(c, accounts_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, accounts_name, account, ACCOUNT_WORDS, err));
    RPS_TRY(find_bonds(c, &saved, err));
    if (world->options.stepper == RPS_NONSMOOTH || world->cell.sheared) {
        return rps_state_contradicts(c, "it has bonds in a world that can have none", saved.count, err);
    }
    RPS_TRY(check_settings(world, c, &saved, err));
    const int32_t *kind = rps_state_body(c, "kind");
    for (size_t k = 0; k < saved.count; k++) {
        const uint64_t *pair = saved.pair + 2 * k;
        const size_t i = rps_state_row(c, bodies, pair[0]), j = rps_state_row(c, bodies, pair[1]);
        const bool rises = k == 0 || pair[-2] < pair[0] || (pair[-2] == pair[0] && pair[-1] < pair[1]);
        if (!rises || pair[0] >= pair[1] || i == bodies || j == bodies ||
            (kind[i] != RPS_BODY_FREE && kind[j] != RPS_BODY_FREE)) {
            return rps_state_contradicts(c, "a bond is of bodies that make no sense", k, err);
        }
        if (!record_is_sound(&saved.record[k], saved.settings) || !path_is_sound(world, &saved, &saved.record[k])) {
            return rps_state_contradicts(c, "a bond has values that make no sense", k, err);
        }
    }
    return RPS_OK;
}

/* --- restoring ------------------------------------------------------------------------------------------------------ */

static rps_status restore_settings(rps_world *world, const rps_checkpoint *c, const saved_bonds *saved,
                                   rps_error *err) {
    const char *laws = saved->laws;
    for (size_t k = 0; k < saved->settings; k++) {
        char name[128];
        size_t index = SIZE_MAX;
        if (!next_law(&laws, name)) break;
        RPS_TRY(rps_bonds_add_setting(world, rps_world_find_bond_law(world, name),
                                      saved->value + k * RPS_BOND_PARAMETERS, &index, err));
        if (index != k) return rps_state_contradicts(c, "two bonds list the same parameters", k, err);
    }
    return RPS_OK;
}

static rps_status restore_bonds(rps_world *world, const rps_state_source *from, rps_error *err) {
    const rps_checkpoint *c = from->c;
    rps_bonds *bonds = &world->bonds;
    saved_bonds saved;
    uint64_t account[ACCOUNT_WORDS];
    rps_bonds_clear(world);
    if (!rps_checkpoint_find(c, accounts_name)) return RPS_OK;
    RPS_TRY(rps_checkpoint_words(c, accounts_name, account, ACCOUNT_WORDS, err));
    RPS_TRY(find_bonds(c, &saved, err));
    RPS_TRY(restore_settings(world, c, &saved, err));
    RPS_TRY(rps_bonds_reserve(world, saved.count, err));
    for (size_t k = 0; k < saved.count; k++) {
        rps_bond *bond = &bonds->bond[k];
        memset(bond, 0, sizeof *bond);
        memcpy(bond->body, saved.pair + 2 * k, sizeof bond->body);
        bond->record = saved.record[k];
        RPS_TRY(rps_bonds_prepare(world, bond, err));
        const bool intact = rps_bond_intact(bond);
        bonds->broken += !intact;
        const bool none = bond->record.contact == RPS_BOND_CONTACT_NONE;
        bonds->without_contact += intact && none;
        bonds->opening += !intact && none;
    }
    bonds->count = saved.count;
    rps_sum_from_words(&bonds->dissipated, account);
    bonds->breaks = account[RPS_SUM_WORDS];
    bonds->used = true;
    return RPS_OK;
}

const rps_state_part rps_state_bonds = {
    .section = sections, .save = save_bonds, .check = check_bonds, .restore = restore_bonds};
