/*
 * Frames of the ID TECH NEO2 protocol 2 (NEO 2 Interface Developer's Guide 80139403-002, p.28 and 59-60), as far as the
 * bench speaks them. Command: CRC low byte first; answer: CRC high byte first.
 */
#ifndef BENCH_FRAME_H
#define BENCH_FRAME_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { HEAD_BYTES = 14, CRC_BYTES = 2, DATA_BYTES_MAX = 2048, FRAME_BYTES_MAX = HEAD_BYTES + DATA_BYTES_MAX + CRC_BYTES };
enum crc_order { LSB_FIRST, MSB_FIRST };

static const uint8_t frame_tag[10] = {'V', 'i', 'V', 'O', 't', 'e', 'c', 'h', '2', 0};

struct frame {
  uint8_t bytes[FRAME_BYTES_MAX];
  size_t size;
};

/* CRC-16/CCITT-FALSE. */
static uint16_t crc16(const uint8_t *bytes, size_t size) {
  uint16_t crc = 0xffff;
  for (size_t i = 0; i < size; i++) {
    crc ^= (uint16_t)(bytes[i] << 8);
    for (int bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (uint16_t)(crc << 1) ^ 0x1021 : (uint16_t)(crc << 1);
  }
  return crc;
}

static void frame_build(struct frame *f, uint8_t command, uint8_t sub, const uint8_t *data, size_t size, enum crc_order order) {
  memcpy(f->bytes, frame_tag, sizeof frame_tag);
  f->bytes[10] = command;
  f->bytes[11] = sub;
  f->bytes[12] = (uint8_t)(size >> 8);
  f->bytes[13] = (uint8_t)size;
  memcpy(f->bytes + HEAD_BYTES, data, size);
  uint16_t crc = crc16(f->bytes, HEAD_BYTES + size);
  f->bytes[HEAD_BYTES + size] = order == LSB_FIRST ? (uint8_t)crc : (uint8_t)(crc >> 8);
  f->bytes[HEAD_BYTES + size + 1] = order == LSB_FIRST ? (uint8_t)(crc >> 8) : (uint8_t)crc;
  f->size = HEAD_BYTES + size + CRC_BYTES;
}

/* 1: a whole frame stands at the front; 0: more bytes are needed; -1: this is no frame. */
static int frame_check(const struct frame *f, enum crc_order order) {
  size_t head = f->size < sizeof frame_tag ? f->size : sizeof frame_tag;
  if (memcmp(f->bytes, frame_tag, head) != 0) return -1;
  if (f->size < HEAD_BYTES) return 0;
  size_t data = (size_t)f->bytes[12] << 8 | f->bytes[13];
  if (data > DATA_BYTES_MAX) return -1;
  if (f->size < HEAD_BYTES + data + CRC_BYTES) return 0;
  /* One side never sends before it was answered: nothing may stand behind a frame. */
  if (f->size > HEAD_BYTES + data + CRC_BYTES) return -1;
  uint16_t crc = crc16(f->bytes, HEAD_BYTES + data);
  uint8_t first = f->bytes[HEAD_BYTES + data], second = f->bytes[HEAD_BYTES + data + 1];
  uint16_t told = order == LSB_FIRST ? (uint16_t)(second << 8 | first) : (uint16_t)(first << 8 | second);
  return crc == told ? 1 : -1;
}

static int write_all(int fd, const uint8_t *bytes, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    bytes += written;
    size -= (size_t)written;
  }
  return 0;
}

#endif
