/* Number of threads that a call may use. OpenMP ends the process, or crashes, if the system does not grant them; a
 * scheduler that drops tasks makes results wrong. */
#ifndef RPS_BASE_THREADS_H
#define RPS_BASE_THREADS_H

#include "base/parallel.h"
#include "base/status.h"

enum { RPS_THREADS_MOST = 4096 };

/* *threads: `asked`, or for 0 as many as the machine has processors. RPS_BAD_INPUT for less than 0 or more than
 * RPS_THREADS_MOST, in words with the `name` of what was asked for ("threads"); RPS_UNSUPPORTED if the system does not
 * grant more than the machine has processors. With a scheduler the count is the number of its tasks, which the system
 * need not grant; RPS_BAD_INPUT for a context without `run`, and if a trial does not run each task exactly once. */
rps_status rps_threads_take(const char *name, int asked, const rps_scheduler *scheduler, int *threads, rps_error *err);

#endif
