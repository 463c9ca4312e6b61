// Times a 64-byte round trip between two processes over a unix socket: the
// least that any call between processes can cost here.
//
//     floor ROUNDS [one-cpu]

#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kBytes = 64;
constexpr int kWarm = 1000;
using Message = std::array<char, kBytes>;

// A stream may hand over a message in parts.
bool receive(int socket, Message& message) {
  for (std::size_t have = 0; have < kBytes;) {
    const ssize_t got = read(socket, message.data() + have, kBytes - have);
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

bool send(int socket, const Message& message) {
  return write(socket, message.data(), kBytes) == static_cast<ssize_t>(kBytes);
}

int echo(int socket) {
  Message message{};
  while (receive(socket, message)) {
    if (!send(socket, message)) return 1;
  }
  return 0;
}

bool measure(int socket, int rounds) {
  using Clock = std::chrono::steady_clock;
  Message message{};
  std::vector<double> seconds;
  for (int round = 0; round < kWarm + rounds; ++round) {
    const auto begun = Clock::now();
    if (!send(socket, message) || !receive(socket, message)) return false;
    const std::chrono::duration<double> taken = Clock::now() - begun;
    if (round >= kWarm) seconds.push_back(taken.count());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%.9f %.9f\n", seconds[seconds.size() / 2],
              seconds[seconds.size() * 99 / 100]);
  return true;
}

// Keeps this process, and what it forks, on the CPU that it is on.
bool stay_on_one_cpu() {
  const int cpu = sched_getcpu();
  if (cpu < 0) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 0;
  const bool one_cpu = count > 2;
  if (one_cpu && !stay_on_one_cpu()) return 2;
  std::array<int, 2> ends{};
  if (rounds < 1 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
    return 2;
  }
  const pid_t child = fork();
  if (child < 0) return 2;
  if (child == 0) {
    close(ends[0]);
    return echo(ends[1]);
  }
  close(ends[1]);
  const bool measured = measure(ends[0], rounds);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return measured ? 0 : 1;
}
