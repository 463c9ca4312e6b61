// A planted fault: a sum of integers that has no value.
#include <limits>

int main(int count, char**) {
  const volatile int most = std::numeric_limits<int>::max();
  const volatile int sum = most + count;
  return sum == 0 ? 0 : 0;
}
