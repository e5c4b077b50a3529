/* Compares the checked trees of two scenes for a fork (fork.h). */
#ifndef RPS_SCENE_FORK_MATCH_H
#define RPS_SCENE_FORK_MATCH_H

#include "language/tree.h"

/* RPS_BAD_INPUT at the first place of `mine` that differs in what a fork cannot change. `run` names the other one. */
rps_status rps_fork_match(const rps_node *mine, const rps_node *theirs, const char *run, rps_error *err);

/* True if two checked nodes say the same, also in other units. */
bool rps_fork_same(const rps_node *a, const rps_node *b);

#endif
