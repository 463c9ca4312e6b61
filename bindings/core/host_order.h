// The order in which one host sends to another, whichever ways messages take.
//
// HO-1 Requests, casts and replies of one host to another have the numbers 1,
// 2,
//      3 ... in the order in which they were sent, and are delivered in it.
// HO-2 Each number is delivered once, however often it comes.
// HO-3 What went by other hosts is kept until its receipt, or until it is taken
//      to be sent once more, then on the way of its own.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cast.h"
#include "frame.h"

namespace eclosion {

// What goes by other hosts: the request, and who gets it there.
struct Kept {
  Frame request;
  Branch branch;
};

// The sender's side.
class SentOrder {
 public:
  std::uint64_t next(std::uint32_t host);
  // Gives the branch its number, and keeps it with the request.
  void keep(const Frame& request, Branch& branch);
  // All numbers up to this one have come.
  void receipt(std::uint32_t host, std::uint64_t number);
  // What has no receipt yet, host by host in the order of its numbers.
  std::vector<Kept> take_kept();
  void forget(std::uint32_t host);
  [[nodiscard]] std::size_t kept();

 private:
  struct Host {
    std::uint64_t last = 0;
    std::map<std::uint64_t, Kept> kept;
  };

  std::mutex mutex_;
  std::unordered_map<std::uint32_t, Host> hosts_;
};

// The receiver's side.
class ReceivedOrder {
 public:
  // The frames whose turn it is, of which this may be one.
  std::vector<Frame> take(std::uint32_t host, Frame frame, bool by_others);
  // Whether that host waits for a receipt, and for that of how many bytes.
  [[nodiscard]] std::uint64_t unreceipted(std::uint32_t host);
  // For each host that waits for one: it, and the number to tell it.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> receipts();
  void forget(std::uint32_t host);

 private:
  struct Host {
    std::uint64_t delivered = 0;
    std::map<std::uint64_t, Frame> early;
    std::uint64_t by_others = 0;  // the highest number that came so
    std::uint64_t told = 0;       // the number of the last receipt
    std::uint64_t bytes = 0;      // since then
    [[nodiscard]] bool waits() const {
      return by_others > told && delivered > told;
    }
  };

  std::mutex mutex_;
  std::unordered_map<std::uint32_t, Host> hosts_;
};

}  // namespace eclosion
