// Runs the program that its argument names: smoothing.cu without a fault, or
// with the one of that name.
#include <cstdio>
#include <cstring>

#define PROGRAM faultless
#include "smoothing.cu"
#undef PROGRAM

#define PROGRAM row_of_32
#define PLANT_row_of_32 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_row_of_32

#define PROGRAM half_a_wave
#define PLANT_half_a_wave 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_half_a_wave

#define PROGRAM missing_barrier
#define PLANT_missing_barrier 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_missing_barrier

#define PROGRAM divergent_barrier
#define PLANT_divergent_barrier 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_divergent_barrier

#define PROGRAM inactive_lane
#define PLANT_inactive_lane 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_inactive_lane

#define PROGRAM out_of_bounds
#define PLANT_out_of_bounds 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_out_of_bounds

#define PROGRAM use_after_free
#define PLANT_use_after_free 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_use_after_free

#define PROGRAM missing_event
#define PLANT_missing_event 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_missing_event

#define PROGRAM missing_wait
#define PLANT_missing_wait 1
#include "smoothing.cu"
#undef PROGRAM
#undef PLANT_missing_wait

struct Program {
  const char* name;
  int (*run)();
};

constexpr Program kPrograms[] = {
    {"faultless", faultless::run},
    {"row_of_32", row_of_32::run},
    {"half_a_wave", half_a_wave::run},
    {"missing_barrier", missing_barrier::run},
    {"divergent_barrier", divergent_barrier::run},
    {"inactive_lane", inactive_lane::run},
    {"out_of_bounds", out_of_bounds::run},
    {"use_after_free", use_after_free::run},
    {"missing_event", missing_event::run},
    {"missing_wait", missing_wait::run},
};

int main(int count, char** arguments) {
  for (const Program& program : kPrograms) {
    if (count == 2 && std::strcmp(arguments[1], program.name) == 0) {
      return program.run();
    }
  }
  std::fprintf(stderr, "name a program\n");
  return 2;
}
