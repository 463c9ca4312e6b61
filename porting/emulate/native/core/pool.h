// Pools of a device's memory: allocations and frees in the order of a stream.
//
// A pool reserves bytes of its device and gives addresses away. An address is
// new each time and rests after its free, so what comes too early or too late
// is named, where a device would let it read another allocation: only the
// account is kept as the vendors describe it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory.h"
#include "operation.h"
#include "status.h"

namespace eclosion::emulator {

class Pool;
class Stream;
using PoolRef = std::shared_ptr<Pool>;

class Pool : public std::enable_shared_from_this<Pool> {
 public:
  // What a pool holds, in bytes.
  struct Figures {
    std::uint64_t reserved = 0;
    std::uint64_t reserved_high = 0;
    std::uint64_t used = 0;  // less from the call on that frees
    std::uint64_t used_high = 0;
  };
  // What a program decides; the vendors' defaults.
  struct Rules {
    // Bytes that stay reserved when a program synchronises.
    std::uint64_t release_threshold = 0;
    // What a stream may take of what another one freed: what happened before by
    // events; what has happened already; what it has to wait for.
    bool follow_event_dependencies = true;
    bool allow_opportunistic = true;
    bool allow_internal_dependencies = true;
  };

  // `most`: bytes that it may hold; 0: as many as the device has.
  static Status create(int device, std::size_t most, bool is_shareable,
                       PoolRef* pool);
  // kInvalidValue: a device's default pool. What is allocated lives on. Where
  // it was a device's current pool, the default one is again.
  static Status destroy(const PoolRef& pool);
  static PoolRef default_of(int device);
  static PoolRef current_of(int device);
  // kInvalidValue: another device's pool, or an imported one.
  static Status make_current(int device, const PoolRef& pool);
  // Of an address that allocate() or import_pointer() gave; null: none.
  static PoolRef of(const void* address);

  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::uint64_t id() const noexcept { return id_; }
  int device() const noexcept { return device_; }
  bool is_imported() const noexcept { return owner_ != 0; }
  bool is_shareable() const noexcept { return is_shareable_; }

  // The address is known at once, and may be used by what `stream` does next.
  // While the stream is captured, the memory is the graph's: charged to the
  // device at a launch, kept till the graph is gone. 0 bytes: kInvalidValue.
  Status allocate(Stream& stream, std::size_t size, const void* site,
                  void** address);

  // Give back what is neither in use nor needed to hold `keep` bytes.
  void trim(std::size_t keep);

  Figures figures() const;
  void reset_reserved_high();
  void reset_used_high();
  Rules rules() const;
  void set_rules(const Rules& rules);

  // 0 none, 1 read, 3 read and write. kInvalidValue: less for its own device.
  Status set_access(int device, unsigned flags);
  unsigned access(int device) const;

  // A descriptor that another process imports; the caller closes it.
  // kInvalidValue: the pool is not shareable.
  Status export_file(int* file) const;
  // kInvalidValue: not a descriptor of export_file().
  static Status import_file(int file, PoolRef* pool);
  // kInvalidValue: not memory of a shareable pool.
  static Status export_pointer(const void* address, SharedHandle* data);
  // Of the pool that this one was imported from; else kInvalidValue. It is
  // freed as what allocate() gave.
  Status import_pointer(const SharedHandle& data, void** address);

 private:
  friend struct PoolFree;

  // Bytes that were freed in a stream which may not be there yet.
  struct Pending {
    std::size_t bytes = 0;
    std::shared_ptr<const std::atomic<bool>> is_done;
    std::uint64_t stream = 0;  // that may use them at once
    std::weak_ptr<Stream> freed_in;
  };

  Pool(int device, std::size_t most, bool is_shareable);

  // The account. Those in the second part are called with the mutex held.
  bool take(std::size_t bytes, Stream& stream);
  void give(std::size_t bytes, Pending pending);

  bool try_take(std::size_t bytes, Stream& stream);
  bool grow(std::size_t bytes);
  bool wait_for_others(std::size_t bytes, Stream& stream);
  std::size_t free_for(std::uint64_t stream) const;
  std::size_t pending() const;
  void use(std::size_t bytes, std::uint64_t stream);
  void forget_done(bool is_synchronised);
  void shrink(std::size_t keep);

  const std::uint64_t id_;
  const int device_;
  const std::size_t most_;
  const bool is_shareable_;
  std::uint64_t owner_ = 0;     // nonce of the process that has it; 0: this one
  std::uint64_t owner_id_ = 0;  // its id there
  mutable std::mutex mutex_;    // guards all below
  Figures figures_;
  Rules rules_;
  std::vector<Pending> pending_;
  std::map<int, unsigned> access_;
};

// Free memory of a pool or of a graph once `stream` is there. While the stream
// is captured: memory of a graph only. kInvalidValue: no such memory.
Status free_in_order(Stream& stream, void* address, const void* site);
// The same at once: nothing uses it any more. False: no such memory.
bool free_pooled(void* address, const void* site);
// Let pools of a device fall to their thresholds: after a synchronisation.
void release_unused(int device);
// Let them give back all that is not in use.
void trim_pools(int device);

// The pool that memory of graphs says it is of.
inline constexpr std::uint64_t kGraphPool = UINT64_MAX;

// The parameters of nodes that captures make of Pool::allocate and
// free_in_order (size and device: of allocations only).
struct GraphMemoryNode {
  void* address = nullptr;
  std::size_t size = 0;
  int device = 0;
};

// Memory that nodes of graphs allocate and free (those that are added by hand;
// captures make theirs in Pool::allocate and free_in_order).
struct GraphAllocation {
  void* address = nullptr;
  Operation::Body
      allocate;  // of the node; the memory lives as long as bodies do
};
Status allocate_in_graph(std::size_t size, int device, const void* site,
                         GraphAllocation* made);
// The body of a node that frees what a graph allocates. kInvalidValue: no such
// memory.
Status free_in_graph(const void* address, Operation::Body* free);
// What a launch of a graph does with memory of graphs, its own or another's.
struct GraphMemoryUse {
  std::vector<void*> allocated{};
  std::vector<void*> freed{};
  // Free what the launch before left allocated, instead of refusing.
  bool frees_left = false;
};
// To be called before a launch, with the stream it goes to. kInvalidValue: a
// launch before has left something allocated. kOutOfMemory: the device has no
// memory for it. Without it, the launch finds that out when it runs, which
// makes the device unusable.
Status prepare_launch(Stream& stream, const GraphMemoryUse& use,
                      const void* site);
// The program frees, by the call that is being made, what a launch left.
void forget_left(const void* address);
// Free at once what a launch has left allocated. False: there is none.
bool free_of_graph(const void* address, const void* site);
// What the graphs of a device hold; and give back what is not in use.
Pool::Figures graph_figures(int device);
void reset_graph_figures(int device, bool is_reserved);
void trim_graphs(int device);

}  // namespace eclosion::emulator
