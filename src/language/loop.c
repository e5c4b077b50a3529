/*
 * Loops: {for: {i: 36, j: [a, b]}, ...} stands for as many items as there are values of i and j, the first slowest.
 *
 * A variable takes 0 to n - 1 (a number n), the values of a list, whole numbers ({from: 1, to: 5}), or values evenly
 * spaced ({from: 0 deg, to: 90 deg, count: 10}). All that stands beside `for` is repeated; with `each` alone, a list, all
 * its items.
 */
#include <math.h>
#include <string.h>

#include "language/expand_internal.h"
#include "language/yaml.h"

static const char loop_key[] = "for";

const rps_node *rps_loop_of(const rps_node *node) {
    return rps_node_get(node, loop_key);
}

/* A loop that runs. */
typedef struct loop {
    rps_expansion *e;
    const rps_node *variables; /* the map at `for` */
    const rps_entry *entry;    /* of the item, with its key */
    rps_node *to;
} loop;

static rps_status too_many(const loop *l) {
    return rps_place_fail(
        l->e->err, l->variables->place,
        "the loops of the scene make more than %d values; put particles into a file (`file:`), or let "
        "a `generator` make them",
        RPS_YAML_NODES);
}

static rps_status spend(const loop *l, size_t values) {
    if (values > l->e->left) return too_many(l);
    l->e->left -= values;
    return RPS_OK;
}

/* --- what is repeated --------------------------------------------------------------------------------------------- */

/* The item without its `for`. */
static rps_status copy_body(const loop *l, const rps_node *item, rps_node **out) {
    rps_expansion *e = l->e;
    RPS_TRY(spend(l, item->size));
    rps_node *copy = *out = rps_node_new(e->pool, RPS_NODE_MAP, item->place, e->err);
    if (!copy) return RPS_NO_MEMORY;
    for (size_t k = 0; k < item->count; k++) {
        if (item->entry[k].value == l->variables) continue;
        rps_node *value = rps_node_copy(e->pool, item->entry[k].value, e->err);
        if (!value) return RPS_NO_MEMORY;
        RPS_TRY(rps_node_add(e->pool, copy, item->entry[k].key, item->entry[k].key_place, value, e->err));
    }
    return RPS_OK;
}

/* All items of the list `each`. */
static rps_status add_each(const loop *l, const rps_node *item, const rps_entry *each) {
    rps_expansion *e = l->e;
    if (l->entry->key || item->count != 2 || each->value->kind != RPS_NODE_LIST) {
        return rps_place_fail(e->err, each->key_place,
                              "`each` stands alone beside `for`, in an item of a list, and is the list of what is "
                              "repeated\nas in {for: {i: 3}, each: [[\"a_{i}\", \"b_{i}\"]]}");
    }
    RPS_TRY(spend(l, each->value->size));
    rps_node *copy = rps_node_copy(e->pool, each->value, e->err);
    if (!copy) return RPS_NO_MEMORY;
    RPS_TRY(rps_expand_node(e, copy));
    for (size_t k = 0; k < copy->count; k++) {
        RPS_TRY(rps_node_add(e->pool, l->to, NULL, copy->entry[k].value->place, copy->entry[k].value, e->err));
    }
    return RPS_OK;
}

static rps_status add_repeated(const loop *l) {
    rps_expansion *e = l->e;
    const rps_node *item = l->entry->value;
    const rps_entry *each = rps_node_find(item, "each");
    if (each) return add_each(l, item, each);
    rps_node *copy;
    const char *key = l->entry->key;
    RPS_TRY(copy_body(l, item, &copy));
    RPS_TRY(rps_expand_node(e, copy));
    if (key) RPS_TRY(rps_expand_text(e, l->entry->key_place, key, &key));
    return rps_node_add(e->pool, l->to, key, l->entry->key_place, copy, e->err);
}

/* --- the values of a variable ------------------------------------------------------------------------------------- */

static rps_status run_from(const loop *l, size_t index);

static rps_status run_with(const loop *l, size_t index, const rps_formula_value *value) {
    const rps_variable variable = {l->variables->entry[index].key, *value, l->e->scope};
    RPS_TRY(spend(l, 1));
    l->e->scope = &variable;
    const rps_status status = run_from(l, index + 1);
    l->e->scope = variable.outer;
    return status;
}

/* A bound of a loop is a formula, with or without its =. */
static rps_status read_bound(const loop *l, const rps_node *node, rps_formula_value *value) {
    if (node->kind != RPS_NODE_SCALAR) {
        return rps_place_fail(l->e->err, node->place, "a bound of a loop is one value, such as 36 or n - 1");
    }
    RPS_TRY(rps_expand_formula(l->e, node, node->text[0] == '=', value));
    if (!value->word) return RPS_OK;
    return rps_place_fail(l->e->err, node->place, "`%.60s` is a word, and not a bound of a loop", value->word);
}

static rps_status read_whole_bound(const loop *l, const rps_node *node, double low, double *out) {
    rps_formula_value value;
    RPS_TRY(read_bound(l, node, &value));
    *out = value.number;
    if (!rps_formula_is_pure(&value) || value.number != floor(value.number) || fabs(value.number) > 9e15) {
        return rps_place_fail(l->e->err, node->place,
                              "`%.60s` is %.9g, and not a whole number\nround() makes one, and a range of quantities "
                              "takes a `count`",
                              node->text, value.number);
    }
    if (value.number >= low) return RPS_OK;
    return rps_place_fail(l->e->err, node->place, "`%.60s` is %.9g, but at least %g is needed", node->text,
                          value.number, low);
}

static rps_status run_whole(const loop *l, size_t index, double from, double count) {
    if (count > (double)l->e->left) return too_many(l);
    for (double k = 0.0; k < count; k++) {
        const rps_formula_value value = rps_formula_number(from + k);
        RPS_TRY(run_with(l, index, &value));
    }
    return RPS_OK;
}

static rps_status run_spaced(const loop *l, size_t index, const rps_node *range, const rps_node *count_node) {
    const rps_node *last = rps_node_get(range, "to");
    rps_formula_value from, to;
    double count;
    RPS_TRY(read_whole_bound(l, count_node, 0.0, &count));
    RPS_TRY(read_bound(l, rps_node_get(range, "from"), &from));
    RPS_TRY(read_bound(l, last, &to));
    if (memcmp(from.power, to.power, sizeof from.power) != 0) {
        return rps_place_fail(l->e->err, last->place, "the ends of this range have different dimensions");
    }
    if (count == 1.0 && from.number != to.number) {
        return rps_place_fail(l->e->err, count_node->place, "one value cannot lie at both ends of the range");
    }
    if (count > (double)l->e->left) return too_many(l);
    for (double k = 0.0; k < count; k++) {
        rps_formula_value value = from;
        value.bare = from.bare && to.bare;
        if (k > 0.0)
            value.number = k + 1.0 == count ? to.number : from.number + (to.number - from.number) * k / (count - 1.0);
        RPS_TRY(run_with(l, index, &value));
    }
    return RPS_OK;
}

static rps_status run_range(const loop *l, size_t index, const rps_node *range) {
    const rps_node *from = rps_node_get(range, "from"), *to = rps_node_get(range, "to"),
                   *count = rps_node_get(range, "count");
    double low, high;
    if (!from || !to || range->count != (size_t)(2 + (count != NULL))) {
        return rps_place_fail(
            l->e->err, range->place,
            "a range of a loop takes `from` and `to`, and for other than whole numbers `count`\nas in "
            "{from: 1, to: n} or {from: 0 deg, to: 90 deg, count: 10}");
    }
    if (count) return run_spaced(l, index, range, count);
    RPS_TRY(read_whole_bound(l, from, -INFINITY, &low));
    RPS_TRY(read_whole_bound(l, to, -INFINITY, &high));
    if (high < low - 1.0) {
        return rps_place_fail(l->e->err, to->place, "the range ends at %.0f, before it begins at %.0f", high, low);
    }
    return run_whole(l, index, low, high - low + 1.0);
}

static rps_status run_list(const loop *l, size_t index, const rps_node *list) {
    for (size_t k = 0; k < list->count; k++) {
        const rps_node *node = list->entry[k].value;
        rps_formula_value value;
        if (node->kind != RPS_NODE_SCALAR) {
            return rps_place_fail(l->e->err, node->place, "a value of a loop is a quantity, a formula or a word");
        }
        RPS_TRY(rps_expand_value(l->e, node, &value));
        RPS_TRY(run_with(l, index, &value));
    }
    return RPS_OK;
}

static rps_status check_variable(const loop *l, const rps_entry *variable) {
    const char *name = variable->key;
    bool taken = rps_node_find(l->e->parameters, name) != NULL;
    for (const rps_variable *v = l->e->scope; v && !taken; v = v->outer) taken = strcmp(v->name, name) == 0;
    if (taken) {
        return rps_place_fail(l->e->err, variable->key_place,
                              "`%.60s` is a parameter or the variable of a loop around this one\nchoose another name",
                              name);
    }
    if (rps_formula_may_name(name)) return RPS_OK;
    return rps_place_fail(l->e->err, variable->key_place,
                          "`%.60s` cannot be a variable\na name is a letter or _, then letters, digits and _, and not "
                          "pi or a function",
                          name);
}

/* The loops from variable `index` on. */
static rps_status run_from(const loop *l, size_t index) {
    if (index == l->variables->count) return add_repeated(l);
    const rps_entry *variable = &l->variables->entry[index];
    const rps_node *values = variable->value;
    double count;
    RPS_TRY(check_variable(l, variable));
    switch (values->kind) {
    case RPS_NODE_LIST:
        return run_list(l, index, values);
    case RPS_NODE_MAP:
        return run_range(l, index, values);
    case RPS_NODE_SCALAR:
        RPS_TRY(read_whole_bound(l, values, 0.0, &count));
        return run_whole(l, index, 0.0, count);
    default:
        return rps_place_fail(
            l->e->err, variable->key_place,
            "the variable `%s` has no values\nexpected a number of times, a list, or {from: 1, to: n}", variable->key);
    }
}

rps_status rps_loop_run(rps_expansion *e, rps_node *to, const rps_entry *entry) {
    const rps_entry *found = rps_node_find(entry->value, loop_key);
    const loop l = {e, found->value, entry, to};
    if (found->value->kind != RPS_NODE_MAP || found->value->count == 0) {
        return rps_place_fail(e->err, found->key_place,
                              "`for` takes a map of variables and their values, such as {i: 36}");
    }
    if (found->value->count > 8) {
        return rps_place_fail(e->err, found->key_place, "a loop has at most 8 variables");
    }
    return run_from(&l, 0);
}
