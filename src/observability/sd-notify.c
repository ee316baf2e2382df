/*
 * One datagram to systemd (sd_notify(3)): send(address, text) returns 0 or an errno. Node has no datagram sockets of AF_UNIX.
 * Node-API alone: one binary serves every Node. build/addons.ts compiles it.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <errno.h>
#include <node_api.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Copies a string with its length. Returns 0 or an errno; one that is too long is not cut. */
static int read_string(napi_env env, napi_value value, char *buffer, size_t size, size_t *length) {
  if (napi_get_value_string_utf8(env, value, NULL, 0, length) != napi_ok) return EINVAL;
  if (*length >= size) return ENAMETOOLONG;
  return napi_get_value_string_utf8(env, value, buffer, size, length) == napi_ok ? 0 : EINVAL;
}

static int send_datagram(const struct sockaddr_un *address, size_t length, const char *text, size_t text_length) {
  int error = 0;
  /* Not blocking: a full queue of systemd must not hold the loop that serves the card reader. */
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return errno;
  if (sendto(fd, text, text_length, MSG_NOSIGNAL, (const struct sockaddr *)address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) < 0)
    error = errno;
  close(fd);
  return error;
}

static napi_value send_text(napi_env env, napi_callback_info info) {
  napi_value parameters[2], result;
  size_t count = 2, length = 0, text_length = 0;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char text[4096];
  int error = napi_get_cb_info(env, info, &count, parameters, NULL, NULL) == napi_ok && count == 2 ? 0 : EINVAL;
  if (error == 0) error = read_string(env, parameters[0], address.sun_path, sizeof address.sun_path, &length);
  if (error == 0) error = read_string(env, parameters[1], text, sizeof text, &text_length);
  /* A leading @ stands for the zero byte of Linux's abstract namespace (unix(7)). */
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  if (error == 0) error = send_datagram(&address, length, text, text_length);
  return napi_create_int32(env, error, &result) == napi_ok ? result : NULL;
}

NAPI_MODULE_INIT() {
  napi_value send;
  if (napi_create_function(env, "send", NAPI_AUTO_LENGTH, send_text, NULL, &send) != napi_ok) return NULL;
  return napi_set_named_property(env, exports, "send", send) == napi_ok ? exports : NULL;
}
