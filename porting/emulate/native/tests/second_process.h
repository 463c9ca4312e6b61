// A second process for tests: this program again, in one test case that is
// skipped otherwise, with a socket to the first.
#pragma once

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace eclosion::emulator::tests {

// One end of the socket: values, and descriptors, as they are in memory.
class Peer {
 public:
  explicit Peer(int socket) : socket_(socket) {}
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { close(); }

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  template <typename Value>
  void send(const Value& value) {
    REQUIRE(::send(socket_, &value, sizeof(value), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(sizeof(value)));
  }

  template <typename Value>
  Value receive() {
    Value value{};
    REQUIRE(::recv(socket_, &value, sizeof(value), MSG_WAITALL) ==
            static_cast<ssize_t>(sizeof(value)));
    return value;
  }

  void send_file(int file) {
    Message message;
    cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &file, sizeof(file));
    REQUIRE(::sendmsg(socket_, &message.header, MSG_NOSIGNAL) == 1);
  }

  int receive_file() {
    Message message;
    REQUIRE(::recvmsg(socket_, &message.header, MSG_CMSG_CLOEXEC) == 1);
    int file = -1;
    std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message.header)), sizeof(file));
    return file;
  }

 private:
  struct Message {
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header{};
    Message() {
      header.msg_iov = &part;
      header.msg_iovlen = 1;
      header.msg_control = control;
      header.msg_controllen = sizeof(control);
    }
  };

  int socket_;
};

// The first process's hold of the second.
class SecondProcess {
 public:
  // Limits of it: resource and value.
  using Limits = std::vector<std::pair<int, rlim_t>>;

  explicit SecondProcess(const std::string& test_case,
                         const Limits& limits = {})
      : SecondProcess(test_case, limits, sockets()) {}
  ~SecondProcess() {
    if (process_ > 0) wait();
  }

  Peer& peer() noexcept { return peer_; }

  // Its exit status: 0 where its checks held.
  int wait() {
    peer_.close();
    int status = -1;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }

 private:
  struct Ends {
    int mine;
    int its;
  };

  static Ends sockets() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    return {ends[0], ends[1]};
  }

  SecondProcess(const std::string& test_case, const Limits& limits, Ends ends)
      : peer_(ends.mine) {
    const std::string only = "--test-case=" + test_case;
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      ::dup2(ends.its, kSocket);  // stays open in the new program
      for (const auto& [resource, value] : limits) {
        const rlimit limit{value, value};
        ::setrlimit(resource, &limit);
      }
      ::execl("/proc/self/exe", "second", only.c_str(), "--no-skip", "--quiet",
              nullptr);
      ::_exit(127);
    }
    ::close(ends.its);
  }

  friend Peer first_process();
  static constexpr int kSocket = 42;

  Peer peer_;
  pid_t process_ = -1;
};

// The second process's hold of the first.
inline Peer first_process() { return Peer(SecondProcess::kSocket); }

}  // namespace eclosion::emulator::tests
