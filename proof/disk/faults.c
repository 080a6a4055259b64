/*
 * Faults of a disk on demand, preloaded into a process (LD_PRELOAD): the n-th write or sync of a kind of file fails, as
 * its control file says, which whoever tries the process writes while it runs. And what a failed sync means: the system
 * has let go of what it could not write, so that memory goes on showing it, or does not, and the disk never has it
 * unless it is written again. For that the control file keeps, by pages, what the disk holds where memory differs from
 * it; `faulty.ts` puts it back when the power fails.
 *
 * PROOF_DISK_ROOT: only files below it. PROOF_DISK_CONTROL: the control file, made by `faulty.ts`, which knows its form.
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
  int armed, files, left, error, times, fired; /* files: bits; times: -1 is until told */
  int losing, owner, file_count, page_count; /* owner: the process that has the pages in hand */
  int spare[54];
  char paths[FILES_MAX][PATH_BYTES];
  struct { int file, state; long number; } pages[PAGES_MAX];
  char was[PAGES_MAX][PAGE];
  int errors[FILES_MAX]; /* how many syncs of the file have failed */
};

static struct control *control;
static char root[PATH_BYTES];

/* Of this process' descriptors: the file (and one), and how many of its errors have been told to whoever syncs through it. */
static struct { int file, errors; } told[FDS_MAX];

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

/* 1 data, 2 log of the database, 4 and 8 the same of the request log; 0: none of ours. */
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

/* Whether this call is to fail; it is counted when it is one of those asked for. */
static int is_due(int what, int kind) {
  if (control->armed != what || (control->files & kind) == 0) return 0;
  if (__atomic_sub_fetch(&control->left, 1, __ATOMIC_SEQ_CST) >= 0) return 0;
  if (control->times == 0) return 0;
  if (control->times > 0) __atomic_sub_fetch(&control->times, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control->fired, 1, __ATOMIC_SEQ_CST);
  return 1;
}

/* An owner that was killed is succeeded. */
static void lock(void) {
  int self = getpid();
  for (int owner = 0; !__atomic_compare_exchange_n(&control->owner, &owner, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);) {
    if (kill(owner, 0) == 0 || errno != ESRCH) owner = 0, usleep(10);
  }
}

static void unlock(void) { __atomic_store_n(&control->owner, 0, __ATOMIC_RELEASE); }

/* -1: nothing was written into it. */
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

/* From its first use on a descriptor is told of every failed sync of its file once, whoever's it was, as on Linux since 4.13. */
static int *told_of(int fd, int file) {
  static int none;
  if (fd >= FDS_MAX || file < 0) return none = 0, &none;
  if (told[fd].file != file + 1) told[fd].file = file + 1, told[fd].errors = control->errors[file];
  return &told[fd].errors;
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

/* What stands there, and nothing behind the end. A file that is open for writing only is opened once more. */
static void hold(int fd, const char *path, char *page, off_t offset) {
  memset(page, 0, PAGE);
  if (pread(fd, page, PAGE, offset) >= 0) return;
  int again = open(path, O_RDONLY | O_CLOEXEC);
  if (again < 0 || pread(again, page, PAGE, offset) < 0) die("a file that cannot be read");
  close(again);
}

/* Before a write: what the disk holds of its pages is kept, unless that is known already. */
static void remember(int fd, const char *path, off_t offset, size_t length) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = file_of(path);
  told_of(fd, file);
  for (long number = offset / PAGE; number * PAGE < offset + (off_t)length; number++) {
    int at = page_at(file, number);
    if (at < 0) {
      at = control->page_count;
      if (at == PAGES_MAX) die("too many pages");
      hold(fd, path, control->was[at], number * PAGE);
      control->pages[at].file = file;
      control->pages[at].number = number;
      control->page_count++;
    }
    control->pages[at].state = DIRTY;
  }
  unlock();
}

static void put_back(int fd, int at) {
  struct stat about;
  off_t from = control->pages[at].number * PAGE;
  if (fstat(fd, &about) != 0 || about.st_size <= from) return;
  off_t length = about.st_size - from < PAGE ? about.st_size - from : PAGE;
  if (real_pwrite(fd, control->was[at], length, from) != length) die("a page that cannot be put back");
}

/*
 * The pages of a file that was synced, or could not be. Memory that reverts does so with logs at once, and with data when
 * the file is synced the next time: whoever reads a file by pages meanwhile finds what was written, as on Linux since 5.19.
 */
static void synced(int fd, const char *path, int failed) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = known_file(path), is_log = kind_of(path) & 10;
  if (failed && file >= 0) *told_of(fd, file) = ++control->errors[file];
  for (int i = control->page_count - 1; i >= 0; i--) {
    if (control->pages[i].file != file) continue;
    int was_lost = control->pages[i].state == LOST;
    if (!was_lost && failed) control->pages[i].state = LOST;
    if (control->losing == REVERTING && (was_lost || (failed && is_log))) put_back(fd, i), forget(i);
    else if (!was_lost && !failed) forget(i);
  }
  unlock();
}

/* A file ends there from now on, on disk too. */
static void forget_from(const char *path, long first) {
  if (control->losing == HARMLESS) return;
  lock();
  int file = known_file(path);
  for (int i = control->page_count - 1; i >= 0; i--)
    if (control->pages[i].file == file && control->pages[i].number >= first) forget(i);
  unlock();
}

/* How much of a write is taken; -1: nothing, and errno says why. */
static ssize_t taken(int kind, size_t length) {
  if (!is_due(WRITES, kind)) return length;
  if (control->error == 0 && length > 1) return length / 2;
  errno = control->error == 0 ? ENOSPC : control->error;
  return -1;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real_pwrite(fd, bytes, length, offset);
  ssize_t part = taken(kind, length);
  if (part < 0) return -1;
  remember(fd, path, offset, part);
  return real_pwrite(fd, bytes, part, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) { return pwrite(fd, bytes, length, offset); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  char path[PATH_BYTES];
  int kind = kind_of_fd(fd, path);
  if (kind == 0) return real_pwritev(fd, parts, count, offset);
  ssize_t part = taken(kind, parts[0].iov_len);
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
  ssize_t part = taken(kind, length);
  if (part < 0) return -1;
  remember(fd, path, lseek(fd, 0, SEEK_CUR), part);
  return real_write(fd, bytes, part);
}

/* Whether a sync of the file has failed that this descriptor was not told of yet. */
static int tell(int fd, const char *path) {
  int file = known_file(path);
  int *errors = told_of(fd, file);
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
  else if (tell(fd, path)) errno = EIO, result = -1;
  return result;
}

int fsync(int fd) { return sync_with(real_fsync, fd); }

int fdatasync(int fd) { return sync_with(real_fdatasync, fd); }

/* Lengths and names are taken as being on disk at once. */
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

/* A log that is done with becomes a later one. */
int rename(const char *from, const char *to) {
  if (control != NULL && kind_of(from) != 0) forget_from(from, 0);
  if (control != NULL && kind_of(to) != 0) forget_from(to, 0);
  return real_rename(from, to);
}
