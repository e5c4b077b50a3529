/*
 * Settings of a scene that is being loaded: the variant, then --set, then the end, then what a sweep varies. Those of
 * parameters come before loops and formulas are worked out, all others after.
 */
#ifndef RPS_SCENE_SETTINGS_H
#define RPS_SCENE_SETTINGS_H

#include "scene/scene_internal.h"

typedef enum rps_settings { RPS_SETTINGS_OF_PARAMETERS, RPS_SETTINGS_OF_ALL_ELSE } rps_settings;

extern const char rps_variant_is[]; /* the beginning of a setting that chooses the variant */

/* Lists the names of the variants. */
rps_status rps_settings_variants(rps_scene *scene, rps_error *err);
/* Keeps the settings for checkpoints. */
rps_status rps_settings_keep(rps_scene *scene, const rps_scene_load_options *options, rps_error *err);
/* Applies them in their order. RPS_BAD_INPUT at a path that names nothing, with similar names. */
rps_status rps_settings_apply(rps_scene *scene, const rps_scene_load_options *options, const char *variant,
                              rps_settings which, rps_error *err);

#endif
