/* Wall and processor time for progress, reports and checkpoints by the clock. Physics never reads it. */
#ifndef RPS_BASE_CLOCK_H
#define RPS_BASE_CLOCK_H

/* Seconds since a fixed moment; monotonic. */
double rps_clock_seconds(void);
/* Seconds of processor time of all threads of this process: what its work takes, however busy the machine is. */
double rps_clock_processor_seconds(void);

#endif
