/*
 * Gives the system back what was freed: release() returns 1 if there was something, or 0 (malloc_trim(3), of glibc). It takes memory
 * out of the middle of an arena too, which glibc by itself keeps.
 */
#define NAPI_VERSION 8
#include <malloc.h>
#include <node_api.h>

static napi_value release_memory(napi_env env, napi_callback_info info) {
  napi_value result;
  (void)info;
  return napi_create_int32(env, malloc_trim(0), &result) == napi_ok ? result : NULL;
}

NAPI_MODULE_INIT() {
  napi_value release;
  if (napi_create_function(env, "release", NAPI_AUTO_LENGTH, release_memory, NULL, &release) != napi_ok) return NULL;
  return napi_set_named_property(env, exports, "release", release) == napi_ok ? exports : NULL;
}
