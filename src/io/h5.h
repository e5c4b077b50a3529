/* HDF5 behind one lock. The library keeps process-wide state and prints its errors: every use lies between
 * rps_h5_begin and rps_h5_end, which let one thread in at a time and keep it silent; the error stack becomes a
 * sentence. */
#ifndef RPS_IO_H5_H
#define RPS_IO_H5_H

#include <hdf5.h>

#include "base/status.h"
#include <repose/world.h>

typedef struct rps_h5_session {
    H5E_auto2_t report; /* what the program had set */
    void *context;
} rps_h5_session;

void rps_h5_begin(rps_h5_session *session);
void rps_h5_end(rps_h5_session *session);

/* RPS_IO_ERROR: "cannot <doing> <path>: <cause>; <remedy>", the cause from the error stack of the last call. */
rps_status rps_h5_fail(rps_error *err, const char *doing, const char *path);

/* The same for a file that HDF5 cannot make sense of: RPS_BAD_INPUT, unless the system gave a reason. */
rps_status rps_h5_damaged(rps_error *err, const char *doing, const char *path);

/* Properties of a new dataset, which the caller closes: without times, so that the same run makes the same file whenever it
 * is made. */
hid_t rps_h5_dataset_properties(void);

/* A new group, likewise; what is in it has checksums by HDF5, except for the values of datasets. Needs a reader of HDF5 1.10. */
hid_t rps_h5_create_group(hid_t file, const char *name);

hid_t rps_h5_type(rps_type type);
size_t rps_type_bytes(rps_type type);

/* An attribute of text or of one number on an open object; false if HDF5 refuses. */
bool rps_h5_set_text(hid_t object, const char *name, const char *text);
/* Reads a text attribute, cut to fit; "" and false if there is none. */
bool rps_h5_get_text(hid_t object, const char *name, char *out, size_t capacity);

#endif
