/* Laws of shared libraries that a scene names: `laws: {file: mylaw.so}` (repose/law_file.h). */
#ifndef RPS_SCENE_LAW_FILE_H
#define RPS_SCENE_LAW_FILE_H

#include "scene/scene_internal.h"

/* Loads the files that the scene names and adds their laws to those of the program, before the schema reads their
 * parameters. Keeps a fingerprint of each file with the included texts, and warns where a run goes on with another. */
rps_status rps_scene_law_files(rps_scene *scene, const rps_scene_load_options *options, rps_error *err);
/* Adds laws of the program; they must be valid before the schema reads their parameters. */
rps_status rps_scene_add_laws(rps_scene *scene, const rps_law *const *law, size_t laws, rps_error *err);

#endif
