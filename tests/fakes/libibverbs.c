/* Verbs with FAKE_VERBS_DEVICES devices, or failing with FAKE_VERBS_ERRNO. */
#include <errno.h>
#include <stdlib.h>

static const char *names[] = {"mlx5_0", "mlx5_1"};

void **ibv_get_device_list(int *count) {
  const char *error = getenv("FAKE_VERBS_ERRNO");
  if (error) {
    errno = atoi(error);
    return 0;
  }
  *count = getenv("FAKE_VERBS_DEVICES") ? atoi(getenv("FAKE_VERBS_DEVICES")) : 2;
  void **list = calloc((size_t)*count + 1, sizeof *list);
  for (int i = 0; i < *count; i++) list[i] = &names[i];
  return list;
}

const char *ibv_get_device_name(void *device) { return *(const char **)device; }

void ibv_free_device_list(void **list) { free(list); }
