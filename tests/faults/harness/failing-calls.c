// Preloaded into a server: lets the N-th file-system call below one folder fail, or end the process, when it is told to.
// What to do is read from a file that both sides have mapped; harness/failing-calls.ts holds the other end of it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define TEXT 160
#define LOGGED 4096

struct control {
  uint32_t armed;  // 1: calls are counted and logged
  uint32_t nth;    // which of them fails, from 1; 0 for none
  uint32_t error;  // errno of the failure
  uint32_t signal; // not 0: instead of failing the call, the process gets this signal
  uint32_t seen;   // calls counted since it was armed
  uint32_t hit;    // 1: the failure has happened
  char what[TEXT]; // the call that failed
  char log[LOGGED][TEXT];
};

static struct control *control;
static char root[1024];
static size_t root_length;

__attribute__((constructor)) static void start(void) {
  const char *file = getenv("FAULT_CONTROL"), *folder = getenv("FAULT_ROOT");
  if (!file || !folder) return;
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR, 0);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  syscall(SYS_close, fd);
  if (mapped == MAP_FAILED) return;
  root_length = strlen(folder);
  if (root_length >= sizeof root) return;
  memcpy(root, folder, root_length + 1);
  control = mapped;
}

/** Counts one call; returns the errno with which it is to fail, or 0. */
static int judge(const char *name, const char *path) {
  if (!path || strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != 0) return 0;
  uint32_t number = __sync_add_and_fetch(&control->seen, 1);
  const char *below = path[root_length] == '/' ? path + root_length + 1 : ".";
  if (number <= LOGGED) snprintf(control->log[number - 1], TEXT, "%s %s", name, below);
  if (number != control->nth) return 0;
  snprintf(control->what, TEXT, "%s %s", name, below);
  control->hit = 1;
  if (control->signal) syscall(SYS_kill, getpid(), (int)control->signal);
  return (int)control->error;
}

static int of_path(const char *name, const char *path) {
  if (!control || !control->armed) return 0;
  return judge(name, path);
}

static int of_file(const char *name, int fd) {
  if (!control || !control->armed || fd < 0) return 0;
  char link[64], path[1024];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return judge(name, path);
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(error) \
  do { \
    int injected = (error); \
    if (injected) { \
      errno = injected; \
      return -1; \
    } \
  } while (0)

#define ON_FILE(type, name, parameters, fd, arguments) \
  type name parameters { \
    REAL(name); \
    FAIL_IF(of_file(#name, fd)); \
    return real arguments; \
  }
#define ON_PATH(type, name, parameters, path, arguments) \
  type name parameters { \
    REAL(name); \
    FAIL_IF(of_path(#name, path)); \
    return real arguments; \
  }

ON_FILE(ssize_t, read, (int fd, void *to, size_t length), fd, (fd, to, length))
ON_FILE(ssize_t, pread, (int fd, void *to, size_t length, off_t at), fd, (fd, to, length, at))
ON_FILE(ssize_t, pread64, (int fd, void *to, size_t length, off64_t at), fd, (fd, to, length, at))
ON_FILE(ssize_t, readv, (int fd, const struct iovec *to, int count), fd, (fd, to, count))
ON_FILE(ssize_t, preadv, (int fd, const struct iovec *to, int count, off_t at), fd, (fd, to, count, at))
ON_FILE(ssize_t, preadv64, (int fd, const struct iovec *to, int count, off64_t at), fd, (fd, to, count, at))
ON_FILE(ssize_t, write, (int fd, const void *from, size_t length), fd, (fd, from, length))
ON_FILE(ssize_t, pwrite, (int fd, const void *from, size_t length, off_t at), fd, (fd, from, length, at))
ON_FILE(ssize_t, pwrite64, (int fd, const void *from, size_t length, off64_t at), fd, (fd, from, length, at))
ON_FILE(ssize_t, writev, (int fd, const struct iovec *from, int count), fd, (fd, from, count))
ON_FILE(ssize_t, pwritev, (int fd, const struct iovec *from, int count, off_t at), fd, (fd, from, count, at))
ON_FILE(ssize_t, pwritev64, (int fd, const struct iovec *from, int count, off64_t at), fd, (fd, from, count, at))
ON_FILE(int, fsync, (int fd), fd, (fd))
ON_FILE(int, fdatasync, (int fd), fd, (fd))
ON_FILE(int, ftruncate, (int fd, off_t length), fd, (fd, length))
ON_FILE(int, ftruncate64, (int fd, off64_t length), fd, (fd, length))
ON_FILE(int, fstat, (int fd, struct stat *to), fd, (fd, to))
ON_FILE(int, fstat64, (int fd, struct stat64 *to), fd, (fd, to))
ON_FILE(int, fchmod, (int fd, mode_t mode), fd, (fd, mode))
ON_PATH(int, stat, (const char *path, struct stat *to), path, (path, to))
ON_PATH(int, stat64, (const char *path, struct stat64 *to), path, (path, to))
ON_PATH(int, lstat, (const char *path, struct stat *to), path, (path, to))
ON_PATH(int, lstat64, (const char *path, struct stat64 *to), path, (path, to))
// What a program built against a libc before 2.33 calls instead.
int __fxstat64(int version, int fd, struct stat64 *to);
int __xstat64(int version, const char *path, struct stat64 *to);
int __lxstat64(int version, const char *path, struct stat64 *to);
ON_FILE(int, __fxstat64, (int version, int fd, struct stat64 *to), fd, (version, fd, to))
ON_PATH(int, __xstat64, (int version, const char *path, struct stat64 *to), path, (version, path, to))
ON_PATH(int, __lxstat64, (int version, const char *path, struct stat64 *to), path, (version, path, to))
ON_PATH(int, access, (const char *path, int mode), path, (path, mode))
ON_PATH(int, mkdir, (const char *path, mode_t mode), path, (path, mode))
ON_PATH(int, rmdir, (const char *path), path, (path))
ON_PATH(int, unlink, (const char *path), path, (path))
ON_PATH(int, rename, (const char *from, const char *to), to, (from, to))
ON_PATH(int, link, (const char *from, const char *to), to, (from, to))

/** As the kernel does it: the descriptor is gone, whatever the answer. */
int close(int fd) {
  REAL(close);
  int failure = of_file("close", fd);
  int result = real(fd);
  FAIL_IF(failure);
  return result;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    FAIL_IF(of_path("open", path)); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    FAIL_IF(of_path("open", path)); \
    return real(folder, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

/** libuv goes this way for calls that an old libc has no function for. */
long syscall(long number, ...) {
  REAL(syscall);
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
  long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (control && control->armed) {
    if (number == SYS_statx) {
      const char *path = (const char *)b;
      FAIL_IF(path && *path ? of_path("statx", path) : of_file("statx", (int)a));
    }
    if (number == SYS_close) {
      int failure = of_file("close", (int)a);
      long result = real(number, a, b, c, d, e, f);
      FAIL_IF(failure);
      return result;
    }
    if (number == SYS_pwritev || number == SYS_pwrite64) FAIL_IF(of_file("pwritev", (int)a));
    if (number == SYS_preadv || number == SYS_pread64) FAIL_IF(of_file("preadv", (int)a));
    if (number == SYS_renameat2) FAIL_IF(of_path("rename", (const char *)d));
  }
  return real(number, a, b, c, d, e, f);
}
