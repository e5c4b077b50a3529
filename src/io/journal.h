/* A file driver for HDF5 under which a file always goes from one whole frame to the next.
 *
 * HDF5 changes its indices in place, so a kill or a full disk in the middle of a write could take frames with it that
 * were written long before. Before a byte that belongs to the last whole state is overwritten, this driver copies it
 * to PATH.journal; when the frame is through, the journal is emptied. Its content is put back by rps_journal_recover,
 * or at once when a write fails. Small writes of HDF5 reach the disk with the commit, in a few writes. HDF5 itself is
 * never told of a failed write (it could not even close such a file): the driver remembers the error and keeps what
 * could not be written in memory until the close. */
#ifndef RPS_IO_JOURNAL_H
#define RPS_IO_JOURNAL_H

#include "io/h5.h"

typedef struct rps_journal rps_journal;

/* Sets the driver in a file access list; the allocator must outlive the file. Inside an HDF5 session, as all but the last of these. *driver is to be given
 * back by H5FDunregister once the file is closed, and not before: HDF5 reads the driver of a file after it let go of it. */
bool rps_journal_set(hid_t access, const rps_allocator *allocator, hid_t *driver);
/* The driver's side of a file that was opened with it. */
rps_journal *rps_journal_of(hid_t file);
/* errno of the first write that failed since the file was created, 0 if none did. From then on nothing reaches the
 * disk, and the close puts the last whole state back. */
int rps_journal_error(const rps_journal *journal);
/* Has what was written reach the disk; an errno, or 0. */
int rps_journal_sync(const rps_journal *journal);
/* Marks the present, flushed content as complete. After a failure, here or before, it is not, and the close puts the
 * last complete state back: what was written since must not be counted. */
rps_status rps_journal_commit(rps_journal *journal, const char *path, rps_error *err);

/* How often the file or its journal was written, cut or emptied: system calls, for tests. */
uint64_t rps_journal_writes(const rps_journal *journal);

/* Puts the last whole state of a file back if its writer was killed in the middle of a write; does nothing if there is
 * no journal or the writer still lives. */
rps_status rps_journal_recover(const char *path, const rps_allocator *allocator, rps_error *err);
/* The same, and RPS_BAD_INPUT if the writer still lives. */
rps_status rps_journal_claim(const char *path, const rps_allocator *allocator, rps_error *err);

#endif
