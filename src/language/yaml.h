/*
 * Parses YAML (and so JSON) into a tree. Only yaml.c uses libfyaml.
 */
#ifndef RPS_LANGUAGE_YAML_H
#define RPS_LANGUAGE_YAML_H

#include "language/tree.h"

enum {
    RPS_YAML_BYTES = 16 << 20, /* largest text */
    RPS_YAML_DEPTH = 64,       /* deepest nesting */
    RPS_YAML_NODES = 500000,   /* limit of nodes; aliases count each time they are used */
    RPS_YAML_ALIASED = 100000  /* most nodes that come from aliases */
};

/* Reads one document. Duplicate keys, unknown or cyclic aliases, more than one document and exceeded limits are
 * errors with their source location. Anchors and merge keys (<<) are resolved. `source` must live as long as the
 * tree. */
rps_status rps_yaml_parse(rps_pool *pool, const rps_source *source, rps_node **root, rps_error *err);

/* The same for a part of `source` that starts at `offset` (the value after "path="), so that locations refer to the
 * whole text. One line only. */
rps_status rps_yaml_parse_value(rps_pool *pool, const rps_source *source, size_t offset, rps_node **root,
                                rps_error *err);

#endif
