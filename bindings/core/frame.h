// The unit that crosses a connection: a fixed header, and a body that its
// header describes.
//
// A body is, in this order: the method's name, the call chain, the table of
// buffers, the pickled data, and the buffers that do not travel in shared
// memory, each at a multiple of kBufferAlignment. Everything is little-endian.
// Relays look at the header alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "descriptor.h"

namespace eclosion {

using NodeId = std::uint64_t;   // a process of a running program
using ActorId = std::uint64_t;  // a mailbox in it

// The host part of a node's identity: all processes of one host share it.
constexpr std::uint32_t host_of(NodeId node) {
  return static_cast<std::uint32_t>(node >> 32);
}
// The process that owns the host's others, and its way to other hosts.
constexpr NodeId gateway_of(NodeId node) {
  return node & 0xffffffff00000000ULL;
}

enum class FrameKind : std::uint8_t {
  kHello = 1,  // who the sender is: the first frame of a connection
  kRequest,    // for a mailbox; request 0 wants no reply
  kReply,      // index says which of the call's targets answers
  kCredit,     // `index` messages of `request` bytes were taken from a mailbox
  kRelease,    // segment `request` of shared memory has been read
  kHeartbeat,
  kObituary,  // target_node is dead, the data says how
  kCast,      // a request for several mailboxes behind one gateway
  kRevival,   // target_node was dead and is started again
  kTree,      // a cast to several hosts, which pass it on: `index` legs
  kReceipt,   // all numbers up to `request` have come from that host
  kReturn,    // what went by the sender to gateway `request` may be lost
};

// What a reply is: `flags` of kReply.
enum class ReplyStatus : std::uint8_t {
  kOk,
  kError,     // the endpoint raised
  kFailed,    // the actor or its process is dead
  kDeadlock,  // the call came back to an actor that waits for it
};

inline constexpr std::uint32_t kFrameMagic = 0x324c4345;  // "ECL2"
inline constexpr std::size_t kBufferAlignment = 64;

struct FrameHeader {
  std::uint32_t magic = kFrameMagic;
  FrameKind kind = FrameKind::kHello;
  std::uint8_t flags = 0;
  std::uint16_t method_length = 0;
  std::uint64_t body_length = 0;
  NodeId source_node = 0;
  ActorId source_actor = 0;
  NodeId target_node = 0;
  ActorId target_actor = 0;
  std::uint64_t request = 0;
  std::uint32_t index = 0;
  std::uint32_t chain_length = 0;  // bytes
  std::uint32_t buffer_count = 0;
  std::uint32_t target_count = 0;  // of a cast: they stand before the rest
  std::uint64_t data_length = 0;
  std::uint64_t segment = 0;  // shared memory that holds buffers; its
                              // descriptor comes with the header
  std::uint64_t number = 0;   // in the order of its host to the other, or 0
};
static_assert(sizeof(FrameHeader) == 96);

// A call that waits for the one that carries this; names are for people.
struct ChainLink {
  NodeId node = 0;
  ActorId actor = 0;
  std::uint64_t request = 0;
  std::string name;
};

// One row of the table of buffers. `offset` counts from the start of the body,
// or of the segment.
struct BufferRow {
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint32_t shared = 0;
  std::uint32_t tag = 0;  // the sender's word to the receiver
};
static_assert(sizeof(BufferRow) == 24);

// A frame that breaks the format; the connection it came by is closed.
class FrameError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Memory that is not cleared and starts at a multiple of kBufferAlignment.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(std::size_t size);
  [[nodiscard]] char* data() { return memory_.get(); }
  [[nodiscard]] const char* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> memory_;
  std::size_t size_ = 0;
};

// The views of a body; they live as long as it does.
struct BodyView {
  std::string_view method;
  std::vector<ChainLink> chain;
  std::span<const BufferRow> buffers;
  std::string_view data;
};

// A header with its body, which several frames may share, and the segment
// whose descriptor travels with it.
struct Frame {
  FrameHeader header;
  std::shared_ptr<const Bytes> body;
  std::shared_ptr<Descriptor> segment;
};

// Throws FrameError for a header that no sender of ours writes, or whose body
// is longer than the limit. Nothing is allocated before this has passed.
void check_header(const FrameHeader& header, std::uint64_t max_body);

// The views of the body, checked against its length. Throws FrameError.
BodyView view_of(const FrameHeader& header, const Bytes& body);

// What goes into a body. A shared buffer has its bytes in the segment at
// `offset`, the others are copied from `memory`.
struct OutgoingBuffer {
  const char* memory = nullptr;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  bool shared = false;
  std::uint32_t tag = 0;
};

// A frame that says all in its header.
Frame bare_frame(FrameKind kind, NodeId source, NodeId target);

// The length of a body with that header's method, chain and data, and with
// buffers of these sizes in it.
std::uint64_t body_length(const FrameHeader& header,
                          std::span<const std::uint64_t> buffers);

// Builds the body and sets the lengths in the header.
std::shared_ptr<const Bytes> make_body(FrameHeader& header,
                                       std::string_view method,
                                       std::span<const ChainLink> chain,
                                       std::string_view data,
                                       std::span<const OutgoingBuffer> buffers);

}  // namespace eclosion
