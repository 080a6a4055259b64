/*
 * Disk faults on demand, preloaded into a process (LD_PRELOAD). The trial arms a fault in the control file while the
 * process runs: the n-th write or sync of a kind of file then fails. A failed sync loses pages: the disk does not get
 * them unless they are written again, and memory may or may not still show them. The control file keeps, page by
 * page, what the disk holds where memory differs; `faulty-disk.ts` reverts to it when the power is cut.
 *
 * PROOF_DISK_ROOT: the folder of the affected files. PROOF_DISK_CONTROL: the control file, created by `faulty-disk.ts`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES_MAX 16384
#define FILES_MAX 4096
#define PATH_BYTES 256
#define FDS_MAX 4096

enum { NOTHING, WRITES, SYNCS };
enum { HARMLESS, FORGETTING, REVERTING };
enum { DIRTY = 1, LOST = 2 };

struct control {
  int armed, files, left, error, times, fired; /* files: bits; times: -1 is until disarmed */
  int losing, owner, file_count, page_count; /* owner: the process that holds the lock on the pages */
  int spare[54];
  char paths[FILES_MAX][PATH_BYTES];
  struct { int file, state; long number; } pages[PAGES_MAX];
  char was[PAGES_MAX][PAGE];
  int errors[FILES_MAX]; /* how many syncs of the file have failed */
};

static struct control *control;
static char root[PATH_BYTES];

/* By descriptor of this process: the file number + 1, and how many of the file's errors a sync has reported through it. */
static struct { int file, errors; } reported[FDS_MAX];

static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, off_t, off_t);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);

static void die(const char *what) { fprintf(stderr, "the faulty disk gives up: %s\n", what), abort(); }

__attribute__((constructor)) static void begin(void) {
  real_pwrite = dlsym(RTLD_NEXT, "pwrite");
  real_pwritev = dlsym(RTLD_NEXT, "pwritev");
  real_write = dlsym(RTLD_NEXT, "write");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate");
  real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  const char *path = getenv("PROOF_DISK_CONTROL"), *below = getenv("PROOF_DISK_ROOT");
  if (path == NULL || below == NULL || strlen(below) >= sizeof root) return;
  strcpy(root, below);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) die("no control file");
  control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (control == MAP_FAILED) die("the control file cannot be mapped");
  close(fd);
}

static int ends(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* 1 data, 2 log of the database; 4, 8 the same of the request log; 0: other files. */
static int kind_of(const char *path) {
  if (strncmp(path, root, strlen(root)) != 0) return 0;
  if (strstr(path, "/pg_wal/") != NULL) return 2;
  if (strstr(path, "/base/") != NULL || strstr(path, "/global/") != NULL || strstr(path, "/pg_xact/") != NULL) return 1;
  int kind = ends(path, "-wal") ? 2 : ends(path, ".db") ? 1 : 0;
  return strstr(path, "-requests") != NULL ? kind << 2 : kind;
}

static int kind_of_fd(int fd, char path[PATH_BYTES]) {
  if (control == NULL) return 0;
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_BYTES - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return kind_of(path);
}

/* Whether this call must fail. Counts matching calls. */
static int is_due(int what, int kind) {
  if (control->armed != what || (control->files & kind) == 0) return 0;
  if (__atomic_sub_fetch(&control->left, 1, __ATOMIC_SEQ_CST) >= 0) return 0;
  if (control->times == 0) return 0;
  if (control->times > 0) __atomic_sub_fetch(&control->times, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control->fired, 1, __ATOMIC_SEQ_CST);
  return 1;
}

/* Takes over the lock of a killed owner. */
static void lock(void) {
  int self = getpid();
  for (int owner = 0; !__atomic_compare_exchange_n(&control->owner, &owner, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);) {
    if (kill(owner, 0) == 0 || errno != ESRCH) owner = 0, usleep(10);
  }
}

static void unlock(void) { __atomic_store_n(&control->owner, 0, __ATOMIC_RELEASE); }

/* -1: never written to. */
static int known_file(const char *path) {
  for (int i = 0; i < control->file_count; i++)
    if (strcmp(control->paths[i], path) == 0) return i;
  return -1;
}

static int file_of(const char *path) {
  int known = known_file(path);
  if (known >= 0) return known;
  if (control->file_count == FILES_MAX) die("too many files");
  strcpy(control->paths[control->file_count], path);
  return control->file_count++;
}

/* Since Linux 4.13 each descriptor reports every failed sync of its file once, from its first use, whichever process synced. */
static int *reported_by(int fd, int file) {
  static int none;
  if (fd >= FDS_MAX || file < 0) return none = 0, &none;
  if (reported[fd].file != file + 1) reported[fd].file = file + 1, reported[fd].errors = control->errors[file];
  return &reported[fd].errors;
}

static void forget(int at) {
  int last = --control->page_count;
  control->pages[at] = control->pages[last];
  memcpy(control->was[at], control->was[last], PAGE);
}

static int page_at(int file, long number) {
  for (int i = 0; i < control->page_count; i++)
    if (control->pages[i].file == file && control->pages[i].number == number) return i;
  return -1;
}

/* Reads a page, zeros after the end. A file open for writing only is opened again. */
static void read_page(int fd, const char *path, char *page, off_t offset) {
  memset(page, 0, PAGE);
  if (pread(fd, page, PAGE, offset) >= 0) return;
  int again = open(path, O_RDONLY | O_CLOEXEC);
  if (again < 0 || pread(again, page, PAGE, offset) < 0) die("a file cannot be read");
  close(again);
}

/* Before a write: keeps what the disk holds of its pages, unless it is kept already. */
static void remember(int fd, const char *path, off_t offset, size_t length) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = file_of(path);
  reported_by(fd, file);
  for (long number = offset / PAGE; number * PAGE < offset + (off_t)length; number++) {
    int at = page_at(file, number);
    if (at < 0) {
      at = control->page_count;
      if (at == PAGES_MAX) die("too many pages");
      read_page(fd, path, control->was[at], number * PAGE);
      control->pages[at].file = file;
      control->pages[at].number = number;
      control->page_count++;
    }
    control->pages[at].state = DIRTY;
  }
  unlock();
}

static void revert(int fd, int at) {
  struct stat about;
  off_t from = control->pages[at].number * PAGE;
  if (fstat(fd, &about) != 0 || about.st_size <= from) return;
  off_t length = about.st_size - from < PAGE ? about.st_size - from : PAGE;
  if (real_pwrite(fd, control->was[at], length, from) != length) die("a page cannot be reverted");
}

/*
 * After a sync of a file. In the mode REVERTING, memory reverts at once for logs, and at the next sync for data: until then
 * reads return what was written, as on Linux since 5.19.
 */
static void synced(int fd, const char *path, int failed) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = known_file(path), is_log = kind_of(path) & 10;
  if (failed && file >= 0) *reported_by(fd, file) = ++control->errors[file];
  for (int i = control->page_count - 1; i >= 0; i--) {
    if (control->pages[i].file != file) continue;
    int was_lost = control->pages[i].state == LOST;
    if (!was_lost && failed) control->pages[i].state = LOST;
    if (control->losing == REVERTING && (was_lost || (failed && is_log))) revert(fd, i), forget(i);
    else if (!was_lost && !failed) forget(i);
  }
  unlock();
}

/* The file is truncated, on disk too. */
static void forget_from(const char *path, long first) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = known_file(path);
  for (int i = control->page_count - 1; i >= 0; i--)
    if (control->pages[i].file == file && control->pages[i].number >= first) forget(i);
  unlock();
}

/* How many bytes of a write succeed; -1: none, with errno set. */
static ssize_t accepted(int kind, size_t length) {
  if (!is_due(WRITES, kind)) return length;
  if (control->error == 0 && length > 1) return length / 2;
  errno = control->error == 0 ? ENOSPC : control->error;
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real_pwrite(fd, bytes, length, offset);
  ssize_t part = accepted(kind, length);
  if (part < 0) return -1;
  remember(fd, path, offset, part);
  return real_pwrite(fd, bytes, part, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return pwrite(fd, bytes, length, offset); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real_pwritev(fd, parts, count, offset);
  ssize_t part = accepted(kind, parts[0].iov_len);
  if (part < 0) return -1;
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  if ((size_t)part < parts[0].iov_len) length = part;
  remember(fd, path, offset, length);
  if ((size_t)part < parts[0].iov_len) return real_pwrite(fd, parts[0].iov_base, part, offset);
  return real_pwritev(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset) { return pwritev(fd, parts, count, offset); }

ssize_t write(int fd, const void *bytes, size_t length) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real_write(fd, bytes, length);
  ssize_t part = accepted(kind, length);
  if (part < 0) return -1;
  remember(fd, path, lseek(fd, 0, SEEK_CUR), part);
  return real_write(fd, bytes, part);
}

/* Whether a failed sync of the file has not been reported through this descriptor. Marks it as reported. */
static int report_error(int fd, const char *path) {
  int file = known_file(path);
  int *errors = reported_by(fd, file);
  if (control->losing == HARMLESS || file < 0 || *errors == control->errors[file]) return 0;
  *errors = control->errors[file];
  return 1;
}

static int sync_with(int (*real)(int), int fd) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real(fd);
  int failed = is_due(SYNCS, kind);
  int result = failed ? -1 : real(fd);
  synced(fd, path, failed);
  if (failed) errno = control->error == 0 ? EIO : control->error;
  else if (report_error(fd, path)) errno = EIO, result = -1;
  return result;
}

int fsync(int fd) { return sync_with(real_fsync, fd); }

int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }

/* Lengths and names count as durable at once. */
int ftruncate(int fd, off_t length) {
  char path[PATH_BYTES];
  if (kind_of_fd(fd, path) != 0) forget_from(path, (length + PAGE - 1) / PAGE);
  return real_ftruncate(fd, length);
}

int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

int posix_fallocate(int fd, off_t offset, off_t length) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind != 0 && is_due(WRITES, kind)) return control->error == 0 ? ENOSPC : control->error;
  return real_fallocate(fd, offset, length);
}

int unlink(const char *path) {
  if (control != NULL && kind_of(path) != 0) forget_from(path, 0);
  return real_unlink(path);
}

/* PostgreSQL recycles old log files by renaming them. */
int rename(const char *from, const char *to) {
  if (control != NULL && kind_of(from) != 0) forget_from(from, 0);
  if (control != NULL && kind_of(to) != 0) forget_from(to, 0);
  return real_rename(from, to);
}
