/* The table of shapes, made from shape_list.inc. */
#include "shape/shape.h"

#include <string.h>

static const rps_shape *const table[] = {
#define RPS_SHAPE(name) &rps_shape_##name,
#include "shape/shape_list.inc"
#undef RPS_SHAPE
};

const rps_shape *rps_shape_at(int index) {
    return index >= 0 && index < RPS_SHAPE_COUNT ? table[index] : NULL;
}

int rps_shape_find(const char *name) {
    for (int i = 0; name && i < RPS_SHAPE_COUNT; i++) {
        if (strcmp(table[i]->name, name) == 0) return i;
    }
    return -1;
}
