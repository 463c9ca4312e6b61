// How much a process may send to a mailbox before it has been taken there.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cast.h"
#include "frame.h"
#include "gate.h"

namespace eclosion {

// Back-pressure: the sender counts what is under way to each mailbox, the
// receiver returns credit as its actor takes messages. So a mailbox holds at
// most one window for each process that sends to it, and a slow actor makes its
// senders wait instead of filling memory.
class Windows {
 public:
  Windows(std::uint64_t messages, std::uint64_t bytes)
      : messages_(messages), bytes_(bytes) {}

  struct Load {
    Target target;
    std::uint64_t bytes;
  };
  // Counts one message of its size to each target, or none if a window is
  // full. One with no more in it than a receiver may keep to itself (Credits)
  // takes a message of any size: it might never be emptier.
  bool try_take(std::span<const Load> messages);
  void give(const Target& target, std::uint64_t messages, std::uint64_t size);
  // What was under way to a dead node does not count.
  void forget(NodeId node);
  void forget_host(std::uint32_t host);
  [[nodiscard]] std::uint64_t capacity() const { return messages_; }
  // To how many mailboxes something is under way.
  [[nodiscard]] std::size_t size();
  // Changes when there is room again.
  [[nodiscard]] Gate& gate() { return gate_; }

 private:
  struct Key {
    NodeId node;
    ActorId actor;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return key.node * 0x9e3779b97f4a7c15ULL ^ key.actor;
    }
  };
  struct Used {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] bool has_room(const Used& used, std::uint64_t size) const {
    const bool unused = used.messages <= messages_ / 8 &&
                        (used.messages == 0 || used.bytes < bytes_ / 8);
    return unused || (used.messages < messages_ && used.bytes < bytes_ &&
                      size <= bytes_ - used.bytes);
  }

  const std::uint64_t messages_;
  const std::uint64_t bytes_;
  Gate gate_;
  std::mutex mutex_;
  std::unordered_map<Key, Used, Hash> used_;
};

// The receiver's side: when to return credit to a sender. Not before an eighth
// of its window, so that credit costs little; at once when that is one message.
class Credits {
 public:
  Credits(std::uint64_t messages, std::uint64_t bytes)
      : messages_(messages / 8 + 1), bytes_(bytes / 8) {}

  struct Due {
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
  };
  // Counts a message that was taken; what is due to its sender now.
  Due taken(NodeId sender, ActorId mailbox, std::uint64_t size);
  void forget(NodeId sender);
  // What is still due to each sender of a mailbox that is no more.
  std::vector<std::pair<NodeId, Due>> close(ActorId mailbox);
  void forget_host(std::uint32_t host);
  // Whether anything of a sender is counted, and of how many pairs of sender
  // and mailbox.
  [[nodiscard]] bool knows(NodeId sender);
  [[nodiscard]] std::size_t size();

 private:
  const std::uint64_t messages_;
  const std::uint64_t bytes_;
  std::mutex mutex_;
  std::unordered_map<NodeId, std::unordered_map<ActorId, Due>> counts_;
};

}  // namespace eclosion
