/* HDF5 behind one lock. The library keeps process-wide state and prints its errors. Every use is enclosed in
 * rps_h5_begin and rps_h5_end (an HDF5 session), which admit one thread at a time and silence the library; the error
 * stack becomes an error message. */
#ifndef RPS_IO_H5_H
#define RPS_IO_H5_H

#include <hdf5.h>

#include "base/status.h"
#include <repose/world.h>

typedef struct rps_h5_session {
    H5E_auto2_t report; /* the program's error handler */
    void *context;
} rps_h5_session;

void rps_h5_begin(rps_h5_session *session);
void rps_h5_end(rps_h5_session *session);

/* RPS_IO_ERROR: "cannot <doing> <path>: <cause>; <remedy>", the cause from the error stack of the last call. */
rps_status rps_h5_fail(rps_error *err, const char *doing, const char *path);

/* The same for a file that HDF5 cannot interpret: RPS_BAD_INPUT, unless the cause is a system error. */
rps_status rps_h5_damaged(rps_error *err, const char *doing, const char *path);

/* Creation properties of a dataset, which the caller closes: no time stamps, so that the same run always produces the
 * same file. */
hid_t rps_h5_dataset_properties(void);

/* Creates a group without time stamps. HDF5 adds checksums to its metadata, but not to the values of datasets.
 * Readers need HDF5 1.10. */
hid_t rps_h5_create_group(hid_t file, const char *name);

hid_t rps_h5_type(rps_type type);
size_t rps_type_bytes(rps_type type);

/* Writes an attribute, text or one number, to an open object; false if HDF5 refuses. */
bool rps_h5_set_text(hid_t object, const char *name, const char *text);
/* Reads a text attribute, truncated to fit; "" and false if it does not exist. */
bool rps_h5_get_text(hid_t object, const char *name, char *out, size_t capacity);

#endif
