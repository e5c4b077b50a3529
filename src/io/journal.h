/* An HDF5 file driver that makes every frame a transaction: the file moves from one complete frame to the next.
 *
 * HDF5 changes its indices in place, so a kill or a full disk during a write could destroy frames written long
 * before. The driver keeps an undo journal: before it overwrites a byte of the last consistent state, it copies the
 * byte to PATH.journal; when the frame is committed, it empties the journal. rps_journal_recover restores the old
 * content; after a failed write the close does so. Small writes of HDF5 are combined into a few at the commit. HDF5
 * never sees a failed write (it could not even close such a file): the driver remembers the error and keeps unwritten
 * data in memory until the close. */
#ifndef RPS_IO_JOURNAL_H
#define RPS_IO_JOURNAL_H

#include "io/h5.h"

typedef struct rps_journal rps_journal;

/* Sets the driver in a file access list; the allocator must outlive the file. Call inside an HDF5 session, as all but
 * the last of these. Release *driver with H5FDunregister after the file is closed, not before: HDF5 still reads the
 * driver after it has released its own reference. */
bool rps_journal_set(hid_t access, const rps_allocator *allocator, hid_t *driver);
/* The journal of a file that was opened with this driver. */
rps_journal *rps_journal_of(hid_t file);
/* errno of the first failed write since the file was created, 0 if none. After it nothing reaches the disk, and the
 * close restores the last consistent state. */
int rps_journal_error(const rps_journal *journal);
/* Syncs written data to disk; returns an errno, or 0. */
int rps_journal_sync(const rps_journal *journal);
/* Commits the current, flushed content. After a failure, here or before, nothing is committed and the close restores
 * the last committed state: what was written since must not be counted. */
rps_status rps_journal_commit(rps_journal *journal, const char *path, rps_error *err);

/* Number of system calls that wrote or truncated the file or its journal, for tests. */
uint64_t rps_journal_writes(const rps_journal *journal);

/* Restores the last consistent state of a file if its writer was killed during a write. Does nothing if there is no
 * journal or the writer is still running. */
rps_status rps_journal_recover(const char *path, const rps_allocator *allocator, rps_error *err);
/* The same, but RPS_BAD_INPUT if the writer is still running. */
rps_status rps_journal_claim(const char *path, const rps_allocator *allocator, rps_error *err);

#endif
