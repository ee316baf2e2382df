/*
 * The floor of the reader loop: the terminal's end of the line in C, and nothing else. Prepares the reader as the terminal
 * does, arms it, checks each answer as a whole with its CRC, and arms again. Ends when the line does.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>

#include "frame.h"

static int line;

static void send_command(uint8_t command, uint8_t sub, const uint8_t *data, size_t size) {
  struct frame f;
  frame_build(&f, command, sub, data, size, LSB_FIRST);
  if (write_all(line, f.bytes, f.size) != 0) exit(1);
}

static void await_answer(uint8_t command) {
  struct frame in = {.size = 0};
  for (;;) {
    ssize_t got = read(line, in.bytes + in.size, sizeof in.bytes - in.size);
    if (got <= 0) exit(0);
    in.size += (size_t)got;
    int whole = frame_check(&in, MSB_FIRST);
    if (whole < 0 || (whole == 1 && in.bytes[10] != command)) exit(1);
    if (whole == 1) return;
  }
}

static void ask(uint8_t command, uint8_t sub, const uint8_t *data, size_t size) {
  send_command(command, sub, data, size);
  await_answer(command);
}

int main(int count, char **values) {
  line = count > 1 ? open(values[1], O_RDWR | O_NOCTTY) : -1;
  struct termios raw;
  if (line < 0 || tcgetattr(line, &raw) != 0) return 1;
  cfmakeraw(&raw);
  cfsetspeed(&raw, B115200);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(line, TCSANOW, &raw) != 0) return 1;
  /* fixtures/frames/neo2.json: activate transaction, contactless, chip and stripe, 30.00 HKD. */
  static const uint8_t sale[] = {0x3c, 0x9f, 0x02, 0x06, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00, 0x9c, 0x01,
                                 0x00, 0x5f, 0x2a, 0x02, 0x03, 0x44, 0x9f, 0x03, 0x06, 0x00, 0x00, 0x00,
                                 0x00, 0x00, 0x00, 0xdf, 0xef, 0x37, 0x01, 0x07};
  static const uint8_t on_demand[] = {0x01};
  ask(0x05, 0x01, NULL, 0);
  ask(0x18, 0x01, NULL, 0);
  ask(0x29, 0x00, NULL, 0);
  ask(0x01, 0x01, on_demand, sizeof on_demand);
  for (;;) ask(0x02, 0x40, sale, sizeof sale);
}
