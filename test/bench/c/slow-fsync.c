/*
 * Preloaded into a process: every fsync(2) and fdatasync(2) takes as many milliseconds longer as the file named by
 * SLOW_FSYNC says, and is counted there. The file is mapped:
 * { uint32 delay in ms, uint32 how many there were, uint32 how many are delayed now }.
 * A delay that is made shorter ends those that have lasted so long already: a disk hangs until the file says otherwise.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct dial {
  _Atomic uint32_t delay_ms;
  _Atomic uint32_t count;
  _Atomic uint32_t delayed;
};

static struct dial *dial;

__attribute__((constructor)) static void open_dial(void) {
  const char *path = getenv("SLOW_FSYNC");
  int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *dial, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) dial = mapped;
}

/* At most so long passes until a shorter delay is seen. */
static const uint32_t look_ms = 10;

static void slow(void) {
  if (!dial) return;
  atomic_fetch_add(&dial->count, 1);
  if (atomic_load(&dial->delay_ms) == 0) return;
  atomic_fetch_add(&dial->delayed, 1);
  for (uint32_t passed_ms = 0, delay_ms; (delay_ms = atomic_load(&dial->delay_ms)) > passed_ms;) {
    uint32_t ms = delay_ms - passed_ms < look_ms ? delay_ms - passed_ms : look_ms;
    struct timespec pause = {.tv_nsec = (long)ms * 1000000};
    nanosleep(&pause, NULL);
    passed_ms += ms;
  }
  atomic_fetch_sub(&dial->delayed, 1);
}

int fsync(int fd) {
  slow();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  slow();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
