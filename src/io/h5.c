/* Locking, silencing and error messages around HDF5. */
#include "io/h5.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

/* HDF5 state is per process, and so is its lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void rps_h5_begin(rps_h5_session *session) {
    pthread_mutex_lock(&lock);
    session->report = NULL;
    session->context = NULL;
    H5Eget_auto2(H5E_DEFAULT, &session->report, &session->context);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void rps_h5_end(rps_h5_session *session) {
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, session->report, session->context);
    pthread_mutex_unlock(&lock);
}

typedef struct cause {
    char text[256]; /* of the innermost error */
    int number;     /* errno reported by HDF5, 0 if none */
} cause;

/* HDF5 writes the errno of a failed system call into the description of the innermost error. */
static herr_t h5_look(unsigned n, const H5E_error2_t *error, void *context) {
    cause *found = context;
    (void)n;
    const char *description = error->desc ? error->desc : "";
    if (!found->text[0]) {
        snprintf(found->text, sizeof found->text, "%s", description);
    }
    const char *at = strstr(description, "errno = ");
    if (at && found->number == 0) {
        found->number = atoi(at + strlen("errno = "));
    }
    return 0;
}

rps_status rps_h5_fail(rps_error *err, const char *doing, const char *path) {
    cause found = {"", 0};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, h5_look, &found);
    if (found.number != 0) {
        return rps_file_fail(err, doing, path, found.number);
    }
    return rps_fail(err, RPS_IO_ERROR, "cannot %s %s: %s", doing, path,
                    found.text[0] ? found.text : "the HDF5 library gives no reason");
}

rps_status rps_h5_damaged(rps_error *err, const char *doing, const char *path) {
    cause found = {"", 0};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, h5_look, &found);
    if (found.number != 0) return rps_file_fail(err, doing, path, found.number);
    return rps_fail(err, RPS_BAD_INPUT, "cannot %s %s: it is damaged (%s); restore the file from a copy", doing, path,
                    found.text[0] ? found.text : "the HDF5 library gives no reason");
}

hid_t rps_h5_dataset_properties(void) {
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    return properties;
}

hid_t rps_h5_create_group(hid_t file, const char *name) {
    enum { LINKS = 64 /* more than any group has */ };
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(creation, 0);
    H5Pset_link_phase_change(creation, LINKS, 0);
    H5Fset_libver_bounds(file, H5F_LIBVER_V110, H5F_LIBVER_V110);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

hid_t rps_h5_type(rps_type type) {
    switch (type) {
    case RPS_TYPE_int32:
        return H5T_NATIVE_INT32;
    case RPS_TYPE_uint64:
        return H5T_NATIVE_UINT64;
    case RPS_TYPE_double:
        break;
    }
    return H5T_NATIVE_DOUBLE;
}

size_t rps_type_bytes(rps_type type) {
    return type == RPS_TYPE_int32 ? 4 : 8;
}

bool rps_h5_set_text(hid_t object, const char *name, const char *text) {
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    size_t bytes = strlen(text);
    bool good = H5Tset_size(type, bytes ? bytes : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t attribute = good ? H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    good = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0) {
        good = H5Aclose(attribute) >= 0 && good;
    }
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

bool rps_h5_get_text(hid_t object, const char *name, char *out, size_t capacity) {
    out[0] = '\0';
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t stored = attribute >= 0 ? H5Aget_type(attribute) : -1;
    hid_t wanted = H5Tcopy(H5T_C_S1);
    bool good = stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0 &&
                H5Tset_size(wanted, capacity) >= 0 && H5Tset_strpad(wanted, H5T_STR_NULLTERM) >= 0 &&
                H5Tset_cset(wanted, H5Tget_cset(stored)) >= 0 && H5Aread(attribute, wanted, out) >= 0;
    out[good ? capacity - 1 : 0] = '\0';
    H5Tclose(wanted);
    if (stored >= 0) {
        H5Tclose(stored);
    }
    if (attribute >= 0) {
        H5Aclose(attribute);
    }
    return good;
}
