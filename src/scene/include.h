/*
 * Included files: `include: materials.yaml`, or a list of files, at the top of a scene or of an included file.
 *
 * Maps are merged key by key; the keys of the including file win, and those of a later file over an earlier one.
 * Lists of the scene, such as `bodies`, are joined; an item with the name of one that is there, or a pair of the same
 * materials, is merged with it. A vector, a law, a shape and any other value is taken as a whole. A file that is
 * included more than once is taken once, where it comes first.
 */
#ifndef RPS_SCENE_INCLUDE_H
#define RPS_SCENE_INCLUDE_H

#include "scene/scene_internal.h"

/* Replaces `include` in the tree of a scene by what the files hold, and keeps their texts. */
rps_status rps_scene_include(rps_scene *scene, const rps_scene_load_options *options, rps_error *err);
/* Keeps a text under the name of a file with those of included files. */
rps_status rps_scene_keep_text(rps_scene *scene, const char *path, const char *text, rps_place place, rps_error *err);

#endif
