/*
 * YAML (and so JSON) to a tree. yaml.c is the only file that knows libfyaml.
 */
#ifndef RPS_SCENE_YAML_H
#define RPS_SCENE_YAML_H

#include "scene/tree.h"

enum {
    RPS_YAML_BYTES = 16 << 20, /* largest text */
    RPS_YAML_DEPTH = 64,       /* deepest nesting */
    RPS_YAML_NODES = 500000,   /* most nodes, aliases counted as often as they are used */
    RPS_YAML_ALIASED = 100000  /* most nodes that come from aliases */
};

/* Reads one document. Duplicate keys, unknown or cyclic aliases, more than one document and whatever passes the limits
 * are errors with their place. Anchors and merge keys (<<) are resolved. `source` must live as long as the tree. */
rps_status rps_yaml_parse(rps_pool *pool, const rps_source *source, rps_node **root, rps_error *err);

/* The same for a piece of text that stands in `source` from `offset` on (a value behind "path="), so that places are
 * those of the whole. One line only. */
rps_status rps_yaml_parse_value(rps_pool *pool, const rps_source *source, size_t offset, rps_node **root,
                                rps_error *err);

#endif
