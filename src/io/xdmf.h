/* run.xdmf: how a viewer finds its way through run.h5 (XDMF 2, which ParaView reads with true times). */
#ifndef RPS_IO_XDMF_H
#define RPS_IO_XDMF_H

#include "io/frame.h"

/* Replaces the file; run.h5 is named relative to it. Call outside an HDF5 session. */
rps_status rps_xdmf_write(const char *path, const char *title, const rps_table *bodies, const rps_table *contacts,
                          const rps_frame *frame, size_t frames, const rps_allocator *allocator, rps_error *err);

#endif
