/* A driver that does what the FAKE_CUDA_* variables say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text ? atoi(text) : otherwise;
}

static int is(const char *name, const char *value) {
  const char *text = getenv(name);
  return text && !strcmp(text, value);
}

__attribute__((constructor)) static void load(void) {
  if (is("FAKE_CUDA_LOAD", "crash")) abort();
}

int cuInit(unsigned flags) {
  (void)flags;
  printf("chatter on stdout\n");
  fflush(stdout);
  fprintf(stderr, "fake driver: last words\n");
  if (is("FAKE_CUDA_INIT", "crash")) *(volatile int *)0 = 1;
  if (is("FAKE_CUDA_INIT", "exit")) exit(3);
  while (is("FAKE_CUDA_INIT", "hang")) pause();
  return number("FAKE_CUDA_INIT", 0);
}

int cuDeviceGetCount(int *count) {
  *count = number("FAKE_CUDA_DEVICES", 2);
  return number("FAKE_CUDA_COUNT", 0);
}

int cuDriverGetVersion(int *version) {
  *version = 13020;
  return 0;
}

int cuGetErrorString(int status, const char **text) {
  if (status == 999) return 1; /* a code that it does not know */
  *text = "no such luck";
  return 0;
}
