/*
 * A NEO2 reader at its end of a pseudo-terminal, with a stop-watch. Says {"path":…} and obeys lines on standard input:
 *   turns WARMUP COUNT MOST_MS  answers each 02-40 at once with a collision (IDG p.32), so that the terminal arms again at
 *                               once, and measures from the answer to the first byte of the next 02-40
 *   cards COUNT                 answers the next COUNT 02-40 with the card of the command line
 *   held MS                     answers the next 02-40 with that card MS later, and says when (CLOCK_MONOTONIC)
 * and says a line of JSON when it is through. Ends with its standard input.
 *
 * A turn begins before write(2), not after it: the terminal may be at work before write(2) returns.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <termios.h>
#include <time.h>

#include "frame.h"

enum { STATUS_OK = 0x00, STATUS_FAILED = 0x0a, SILENCE_S = 10, BITS_PER_BYTE = 10, BAUD = 115200 };

static int master;
static struct frame in, collision, card;
static int armed;
/* Bytes of the last 02-40. */
static size_t command_bytes;
/* When the first byte of what is in `in` was there. */
static int64_t first_byte_ns;
static volatile sig_atomic_t silent;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void fail(const char *what) {
  printf("{\"error\":\"%s\"}\n", what);
  exit(1);
}

static void answer(const struct frame *f) {
  if (write_all(master, f->bytes, f->size) != 0) fail("the line can't be written");
}

static void answer_plain(uint8_t command, const char *text) {
  struct frame f;
  frame_build(&f, command, STATUS_OK, (const uint8_t *)text, strlen(text), MSB_FIRST);
  answer(&f);
}

/* Answers what it is asked. 1 when that was 02-40, whose answer is the caller's; 2 for a cancel of one. */
static int obey(void) {
  int was_armed = armed;
  int asked = in.bytes[10] << 8 | in.bytes[11];
  size_t size = in.size;
  in.size = 0;
  switch (asked) {
    case 0x0240:
      armed = 1;
      command_bytes = size;
      return 1;
    case 0x0501:
      armed = 0;
      answer_plain(0x05, "");
      return was_armed ? 2 : 0;
    case 0x1801:
      answer_plain(0x18, "");
      return 0;
    case 0x2900:
      answer_plain(0x29, "bench 1.0");
      return 0;
    case 0x0101:
      answer_plain(0x01, "");
      return 0;
    default:
      fail("an unexpected command");
      return 0;
  }
}

/* Reads on; -1 when nothing came for too long, else as `obey`, 0 also for half a frame. */
static int step(void) {
  ssize_t got = read(master, in.bytes + in.size, sizeof in.bytes - in.size);
  int64_t at = now_ns();
  if (got < 0 && errno == EINTR) return silent ? -1 : 0;
  if (got <= 0) fail("the line can't be read");
  if (in.size == 0) first_byte_ns = at;
  in.size += (size_t)got;
  switch (frame_check(&in, LSB_FIRST)) {
    case 1:
      return obey();
    case 0:
      return 0;
    default:
      fail("what came is no frame");
      return 0;
  }
}

static void on_alarm(int signal) {
  (void)signal;
  silent = 1;
}

static void watch_silence(int seconds) {
  silent = 0;
  struct itimerval timer = {.it_value = {.tv_sec = seconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static int by_size(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Nearest rank. */
static double percentile_us(const int64_t *sorted, long count, double share) {
  long rank = (long)(share * (double)count + 0.999999);
  return (double)sorted[rank < 1 ? 0 : (rank > count ? count : rank) - 1] / 1000;
}

static void tell(int64_t *ns, long count, int64_t took_ns) {
  double wire_us = (double)command_bytes * BITS_PER_BYTE * 1e6 / BAUD;
  long over = 0;
  for (long i = 0; i < count; i++) over += (double)ns[i] / 1000 > wire_us;
  qsort(ns, (size_t)count, sizeof *ns, by_size);
  printf("{\"turns\":%ld,\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"wire\":%.1f,\"overWire\":%ld,\"tookMs\":%.0f}\n",
         count, percentile_us(ns, count, 0.5), percentile_us(ns, count, 0.99), percentile_us(ns, count, 0.999),
         (double)ns[count - 1] / 1000, wire_us, over, (double)took_ns / 1e6);
}

static void turns(long warmup, long most, long most_ms) {
  int64_t *ns = malloc((size_t)most * sizeof *ns);
  if (!ns) fail("no memory");
  watch_silence(SILENCE_S + (int)(most_ms / 1000));
  while (!armed) {
    if (step() < 0) fail("the terminal never armed the reader");
  }
  int64_t begun = now_ns();
  long done = -warmup;
  while (done < most) {
    armed = 0;
    int64_t from = now_ns();
    answer(&collision);
    int got;
    do got = step();
    while (got == 0);
    if (got < 0) fail("the terminal has fallen silent");
    if (got == 2) fail("the terminal has stopped collecting");
    int64_t took = first_byte_ns - from;
    if (done >= 0) ns[done] = took;
    if (++done == 0) begun = now_ns();
    if (done > 0 && now_ns() - begun > (int64_t)most_ms * 1000000) break;
  }
  watch_silence(0);
  tell(ns, done, now_ns() - begun);
  free(ns);
}

static void cards(long count) {
  while (count > 0) {
    if (armed) {
      armed = 0;
      answer(&card);
      count--;
      continue;
    }
    struct pollfd fds[2] = {{.fd = master, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents & POLLHUP) exit(0);
    if (fds[0].revents & POLLIN) step();
  }
  printf("{\"cards\":true}\n");
}

/* A disarmed reader reads no card: then the time begins anew with the next arming. */
static void held(long ms) {
  int64_t due = 0;
  for (;;) {
    if (!armed) due = 0;
    else if (due == 0) due = now_ns() + (int64_t)ms * 1000000;
    int64_t left_ns = due == 0 ? -1 : due - now_ns();
    if (due != 0 && left_ns <= 0) break;
    struct pollfd fds[2] = {{.fd = master, .events = POLLIN}, {.fd = 0, .events = POLLIN}};
    struct timespec wait = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
    if (ppoll(fds, 2, due == 0 ? NULL : &wait, NULL) < 0) continue;
    if (fds[1].revents & POLLHUP) exit(0);
    if (fds[0].revents & POLLIN) step();
  }
  armed = 0;
  int64_t at = now_ns();
  answer(&card);
  printf("{\"tapNs\":%lld}\n", (long long)at);
}

static int open_pty(void) {
  master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) fail("no pseudo-terminal");
  const char *path = ptsname(master);
  /* Kept open: without any slave open, reads of the master fail with EIO. */
  int slave = path ? open(path, O_RDWR | O_NOCTTY) : -1;
  struct termios raw;
  if (slave < 0 || tcgetattr(slave, &raw) != 0) fail("no pseudo-terminal");
  cfmakeraw(&raw);
  if (tcsetattr(slave, TCSANOW, &raw) != 0) fail("no raw line");
  printf("{\"path\":\"%s\"}\n", path);
  return slave;
}

/* Hexadecimal digits; 0 where they are none. */
static size_t from_hex(const char *hex, uint8_t *bytes, size_t most) {
  size_t size = 0;
  for (unsigned byte; size < most && sscanf(hex + 2 * size, "%2x", &byte) == 1; size++) bytes[size] = (uint8_t)byte;
  return size;
}

int main(int count, char **values) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  static const uint8_t collided[] = {0xff, 0xee, 0x1f, 0x04, 0x21, 0x00, 0x00, 0x00};
  frame_build(&collision, 0x02, STATUS_FAILED, collided, sizeof collided, MSB_FIRST);
  uint8_t data[DATA_BYTES_MAX];
  size_t size = count > 1 ? from_hex(values[1], data, sizeof data) : 0;
  frame_build(&card, 0x02, 0x23, data, size, MSB_FIRST);
  open_pty();
  for (;;) {
    struct pollfd fds[2] = {{.fd = 0, .events = POLLIN}, {.fd = master, .events = POLLIN}};
    if (poll(fds, 2, -1) < 0) continue;
    if (fds[1].revents & POLLIN) step();
    if (!(fds[0].revents & (POLLIN | POLLHUP))) continue;
    /* One line a read: whoever gives the next has waited for the answer to this one. */
    char line[128];
    ssize_t got = read(0, line, sizeof line - 1);
    if (got <= 0) return 0;
    line[got] = 0;
    long a, b, c;
    if (sscanf(line, "turns %ld %ld %ld", &a, &b, &c) == 3 && b > 0) turns(a, b, c);
    else if (sscanf(line, "cards %ld", &a) == 1) cards(a);
    else if (sscanf(line, "held %ld", &a) == 1) held(a);
    else fail("no such line");
  }
}
