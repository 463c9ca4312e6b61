// Frames over one stream socket. Sending is for any thread and does not wait;
// frames arrive in the loop's turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frame.h"
#include "frame_reader.h"
#include "gate.h"
#include "loop.h"
#include "secure_channel.h"

namespace eclosion {

class Connection;

// Who is told of what comes in.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual void on_frame(Connection& from, Frame frame) = 0;
  // Once per connection; nothing comes after it. `why` is for people.
  virtual void on_closed(Connection& from, const std::string& why) = 0;
};

class Connection : public Watched,
                   public std::enable_shared_from_this<Connection> {
 public:
  // Takes the socket. Descriptors can be sent when it is a unix socket.
  Connection(Loop& loop, ConnectionOwner& owner, int fd, bool unix_socket,
             std::uint64_t max_body);

  // Before start(): the channel that the peer has proved itself by, and what
  // it still has to send. Frames pass through it if it seals.
  void secure(std::unique_ptr<SecureChannel> channel,
              const std::vector<std::byte>& unsent);
  // After start(), in the loop's turn: what came right after the proof.
  void begin_with(ByteSpan plain);

  // Lets the loop read. Throws std::system_error.
  void start();
  // What cannot be written at once is queued, and written by the loop.
  void send(const Frame& frame);
  // Writes what is queued, then closes; or closes at once. From any thread.
  void finish();
  void close(const std::string& why);

  [[nodiscard]] NodeId peer() const { return peer_.load(); }
  void set_peer(NodeId peer) { peer_.store(peer); }
  // Whether the process that connected a unix socket is still there.
  [[nodiscard]] bool peer_exists() const;
  [[nodiscard]] bool unix_socket() const { return unix_socket_; }
  // Whether anything came: a process that is starting is not silent.
  [[nodiscard]] bool heard() const { return heard_.load(); }
  [[nodiscard]] Clock::time_point last_received() const {
    return Clock::time_point(Clock::duration(last_received_.load()));
  }
  // A stall of our own is not the peer's silence.
  void forgive_silence() {
    last_received_.store(Clock::now().time_since_epoch().count());
  }
  [[nodiscard]] std::size_t queued();
  // In the loop's turn: takes what a dead peer left in the socket.
  void read_rest();

  void on_ready(std::uint32_t events) override;

 private:
  struct Outgoing {
    Frame frame;
    std::size_t written = 0;
  };

  enum class Read : std::uint8_t { kMore, kPause, kEmpty };
  void read(int reads, bool past_pauses);
  Read read_once();
  Read read_sealed();
  void parse(ByteSpan plain);
  template <typename Reading>
  void guarded(Reading reading);
  // These are called with the lock. The first writes until all is written or
  // the socket is full.
  void write_queued();
  int write_first();
  int write_pending();
  void end_writing();
  void want_room(bool wanted);
  void write_later();
  void broken(int error);
  void closed_on_loop(const std::string& why);

  Loop& loop_;
  ConnectionOwner& owner_;
  Descriptor socket_;
  const bool unix_socket_;
  FrameReader reader_;
  std::atomic<NodeId> peer_{0};
  std::atomic<Clock::rep> last_received_;
  std::atomic<bool> heard_{false};

  std::mutex mutex_;
  std::deque<Outgoing> queue_;
  std::unique_ptr<SecureChannel> channel_;
  std::vector<std::byte> pending_;  // bytes that go before the queue
  bool started_ = false;
  bool waits_for_room_ = false;
  bool finishing_ = false;
  bool closed_ = false;
  bool told_ = false;     // in the loop's turn
  bool reading_ = false;  // in the loop's turn
};

}  // namespace eclosion
