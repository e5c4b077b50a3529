/* Access to laws and parameters of a pair by name, so that a program does not depend on the order of a law's list. */
#include <string.h>

#include "base/text.h"
#include "law/elsewhere.h"
#include "world/world_internal.h"

enum { LAWS_OF_ROLE = 64, LIST_BYTES = 768 };

static bool is_role(rps_role role) {
    return (int)role >= 0 && role < RPS_ROLE_COUNT;
}

static rps_status check_pair(const rps_pair *pair, rps_role role, rps_error *err) {
    if (pair->size != sizeof *pair) {
        return rps_fail(err, RPS_BAD_INPUT, "pair: size is %u, expected %zu; begin with rps_pair_default()", pair->size,
                        sizeof *pair);
    }
    if (is_role(role)) return RPS_OK;
    return rps_fail(err, RPS_BAD_INPUT, "pair: there is no role number %d; expected RPS_ROLE_NORMAL to RPS_ROLE_SPIN",
                    (int)role);
}

/* "a, b, c", cut where the text ends. */
static const char *list_names(const char *const *name, size_t count, char text[LIST_BYTES]) {
    size_t used = 0;
    text[0] = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t length = strlen(name[k]), space = k > 0 ? 2 : 0;
        if (used + space + length >= LIST_BYTES) break;
        if (space > 0) memcpy(text + used, ", ", 2);
        memcpy(text + used + space, name[k], length + 1);
        used += space + length;
    }
    return text;
}

static rps_status refuse_name(const char *what, const char *given, const char *const *name, size_t count,
                              rps_error *err) {
    char text[LIST_BYTES];
    const char *close = rps_closest_name(given, name, count);
    return rps_fail(err, RPS_BAD_INPUT, "%s \"%s\"%s%s%s; expected one of: %s", what, given,
                    close ? " (did you mean \"" : "", close ? close : "", close ? "\"?)" : "",
                    list_names(name, count, text));
}

static void choose_law(rps_pair *pair, rps_role role, const rps_law *law) {
    pair->law[role] = law;
    for (int k = 0; k < RPS_LAW_PARAMETERS; k++) pair->value[role][k] = NAN;
}

rps_status rps_pair_law(rps_pair *pair, rps_role role, const char *law, rps_error *err) {
    RPS_GIVEN(pair);
    RPS_GIVEN(law);
    RPS_TRY(check_pair(pair, role, err));
    const rps_law *found = rps_law_find(role, law);
    if (found) {
        choose_law(pair, role, found);
        return RPS_OK;
    }
    const rps_law_elsewhere *there = rps_law_elsewhere_find(role, law);
    if (there) {
        return rps_fail(err, RPS_BAD_INPUT, "there is no %s law \"%s\": `%s` of %s %s here", rps_role_name(role), law,
                        there->name, there->program, there->here);
    }
    const char *name[LAWS_OF_ROLE];
    size_t count = 0;
    for (size_t k = 0; rps_law_at(k) && count < LAWS_OF_ROLE; k++) {
        if (rps_law_at(k)->role == role) name[count++] = rps_law_at(k)->name;
    }
    char what[48] = "there is no ";
    strcat(strcat(what, rps_role_name(role)), " law");
    return refuse_name(what, law, name, count, err);
}

rps_status rps_pair_own_law(rps_pair *pair, const rps_law *law, rps_error *err) {
    RPS_GIVEN(pair);
    RPS_GIVEN(law);
    RPS_TRY(rps_law_check(law, err));
    RPS_TRY(check_pair(pair, law->role, err));
    choose_law(pair, law->role, law);
    return RPS_OK;
}

/* Index of a parameter in the list of the role's law. */
static rps_status named_parameter(const rps_pair *pair, rps_role role, const char *parameter, int *index,
                                  rps_error *err) {
    RPS_TRY(check_pair(pair, role, err));
    const rps_law *law = pair->law[role];
    if (!law) {
        return rps_fail(err, RPS_BAD_INPUT,
                        "pair: %s has no law yet, so that \"%s\" belongs to none; choose one by rps_pair_law",
                        rps_role_name(role), parameter);
    }
    const char *name[RPS_LAW_PARAMETERS];
    int count = 0;
    for (; count < RPS_LAW_PARAMETERS && law->parameter[count].name; count++) {
        name[count] = law->parameter[count].name;
        if (strcmp(name[count], parameter) != 0) continue;
        *index = count;
        return RPS_OK;
    }
    if (count == 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\" has no parameters, yet \"%s\" is given", rps_role_name(role),
                        law->name, parameter);
    }
    rps_error found;
    refuse_name("there is no parameter", parameter, name, (size_t)count, &found);
    return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s", rps_role_name(role), law->name, found.text);
}

rps_status rps_pair_set(rps_pair *pair, rps_role role, const char *parameter, double value, rps_error *err) {
    RPS_GIVEN(pair);
    RPS_GIVEN(parameter);
    int index;
    RPS_TRY(named_parameter(pair, role, parameter, &index, err));
    const rps_law *law = pair->law[role];
    if (law->parameter[index].choices) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is one of the words %s; set it by rps_pair_set_word",
                        rps_role_name(role), law->name, parameter, law->parameter[index].choices);
    }
    pair->value[role][index] = value;
    return RPS_OK;
}

/* Its number among "a|b|c"; -1: none. */
static int number_of_word(const char *choices, const char *word) {
    const size_t length = strlen(word);
    for (int k = 0;; k++) {
        const size_t n = strcspn(choices, "|");
        if (n == length && strncmp(choices, word, n) == 0) return k;
        if (choices[n] == 0) return -1;
        choices += n + 1;
    }
}

rps_status rps_pair_set_word(rps_pair *pair, rps_role role, const char *parameter, const char *word, rps_error *err) {
    RPS_GIVEN(pair);
    RPS_GIVEN(parameter);
    RPS_GIVEN(word);
    int index;
    RPS_TRY(named_parameter(pair, role, parameter, &index, err));
    const rps_law *law = pair->law[role];
    const char *choices = law->parameter[index].choices;
    if (!choices) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is a number; set it by rps_pair_set",
                        rps_role_name(role), law->name, parameter);
    }
    const int number = number_of_word(choices, word);
    if (number < 0) {
        return rps_fail(err, RPS_BAD_INPUT, "%s law \"%s\": %s is \"%s\"; expected one of %s", rps_role_name(role),
                        law->name, parameter, word, choices);
    }
    pair->value[role][index] = number;
    return RPS_OK;
}
