/* Wall time for progress, reports and checkpoints by the clock. Physics never reads it. */
#ifndef RPS_BASE_CLOCK_H
#define RPS_BASE_CLOCK_H

/* Seconds since a fixed moment; monotonic. */
double rps_clock_seconds(void);

#endif
