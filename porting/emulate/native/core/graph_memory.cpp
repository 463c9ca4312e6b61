// Memory that graphs allocate when they run.
//
// Its address is a node's for as long as the graph lives. The device is charged
// when a launch first comes to it, and no more once it is trimmed or gone.
#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "accesses.h"
#include "placement.h"
#include "pool.h"
#include "shadow.h"
#include "stream.h"
#include "trace.h"

namespace eclosion::emulator {

namespace {

class GraphBlock;

struct GraphBlocks {
  std::mutex mutex;  // taken before the MemoryState's
  std::map<std::uintptr_t, std::weak_ptr<GraphBlock>> by_base;
  std::array<Pool::Figures, kMostDevices> figures;
};

GraphBlocks& graph_blocks() {
  static GraphBlocks* const all = new GraphBlocks;  // outlives all threads
  return *all;
}

// All but the constructor is called with the mutex of the blocks held.
class GraphBlock {
 public:
  explicit GraphBlock(const Record& record) : record_(record) {}
  GraphBlock(const GraphBlock&) = delete;
  GraphBlock& operator=(const GraphBlock&) = delete;
  ~GraphBlock();

  bool charge();
  Status enter();
  void leave(const void* site);
  void trim();
  const Allocation& allocation() const noexcept { return record_.allocation; }
  bool is_in_use() const noexcept { return is_in_use_; }
  // Whether it is allocated by what the program has asked for so far.
  bool is_left() const noexcept { return is_left_; }
  void set_left(bool is_left) noexcept { is_left_ = is_left; }

 private:
  Pool::Figures& figures() const {
    return graph_blocks()
        .figures[static_cast<std::size_t>(allocation().device)];
  }
  std::size_t bytes() const { return align_up(allocation().size, kGranule); }
  void set_ready(bool is_ready);

  Record record_;
  bool is_in_use_ = false;
  bool is_charged_ = false;
  bool is_left_ = false;
};

using GraphBlockRef = std::shared_ptr<GraphBlock>;

GraphBlock::~GraphBlock() {
  MemoryState& state = memory_state();
  {
    const std::lock_guard lock(graph_blocks().mutex);
    if (is_in_use_) leave(nullptr);
    is_left_ = false;
    trim();
    graph_blocks().by_base.erase(allocation().base);
    const std::lock_guard state_lock(state.mutex);
    state.live.remove(allocation().base);
  }
  dismiss(state, record_);
}

void GraphBlock::set_ready(bool is_ready) {
  MemoryState& state = memory_state();
  if (is_ready) {
    state.arena.allow(allocation().base, allocation().size);
  } else {
    state.arena.forbid(allocation().base, allocation().size);
  }
  state.live.at(allocation().base)->allocation.is_ready = is_ready;
}

// False: the device has not as much.
bool GraphBlock::charge() {
  if (is_charged_) return true;
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  is_charged_ = state.charge(allocation().device, bytes());
  if (!is_charged_) return false;
  Pool::Figures& of_device = figures();
  of_device.reserved += bytes();
  of_device.reserved_high =
      std::max(of_device.reserved_high, of_device.reserved);
  return true;
}

// kInvalidValue: the launch before has not freed it.
Status GraphBlock::enter() {
  if (is_in_use_) return Status::kInvalidValue;
  if (!charge()) return Status::kOutOfMemory;
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  Pool::Figures& of_device = figures();
  is_in_use_ = true;
  of_device.used += bytes();
  of_device.used_high = std::max(of_device.used_high, of_device.used);
  set_ready(true);
  return Status::kSuccess;
}

void GraphBlock::leave(const void* site) {
  if (!is_in_use_) return;
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  trace_buffer(allocation());
  is_in_use_ = false;
  figures().used -= bytes();
  set_ready(false);
  forget_accesses(reinterpret_cast<const void*>(allocation().base),
                  allocation().size);
  state.freed.remember(allocation(), site);
}

void GraphBlock::trim() {
  if (is_in_use_ || is_left_ || !is_charged_) return;
  MemoryState& state = memory_state();
  const std::lock_guard lock(state.mutex);
  is_charged_ = false;
  figures().reserved -= bytes();
  state.refund(allocation().device, bytes());
}

// The block at an address; null: none.
GraphBlockRef block_at(const void* address) {
  const std::lock_guard lock(graph_blocks().mutex);
  const auto found =
      graph_blocks().by_base.find(reinterpret_cast<std::uintptr_t>(address));
  return found == graph_blocks().by_base.end() ? nullptr : found->second.lock();
}

}  // namespace

Status allocate_in_graph(std::size_t size, int device, const void* site,
                         GraphAllocation* made) {
  MemoryState& state = memory_state();
  if (size == 0) return Status::kInvalidValue;
  if (!state.has_device(device)) return Status::kInvalidDevice;
  if (size > Memory::get().total(device)) return Status::kOutOfMemory;
  Record record;
  record.allocation = {.size = size,
                       .kind = MemoryKind::kDevice,
                       .device = device,
                       .site = site,
                       .pool = kGraphPool,
                       .is_ready = false};
  const Status status = place(state, record);
  if (status != Status::kSuccess) return status;
  const auto block = std::make_shared<GraphBlock>(record);
  {
    const std::lock_guard lock(graph_blocks().mutex);
    graph_blocks().by_base[record.allocation.base] = block;
    const std::lock_guard state_lock(state.mutex);
    state.live.add(record);
  }
  made->address = reinterpret_cast<void*>(record.allocation.base);
  made->allocate = [block](Operation&) {
    const std::lock_guard lock(graph_blocks().mutex);
    return block->enter();
  };
  return Status::kSuccess;
}

Status free_in_graph(const void* address, Operation::Body* free) {
  const GraphBlockRef block = block_at(address);
  if (!block) return Status::kInvalidValue;
  *free = [block](Operation& operation) {
    const std::lock_guard lock(graph_blocks().mutex);
    block->leave(operation.title().site);
    return Status::kSuccess;
  };
  return Status::kSuccess;
}

Status prepare_launch(Stream& stream, const GraphMemoryUse& use,
                      const void* site) {
  std::vector<GraphBlockRef> blocks;
  for (const void* const address : use.allocated) {
    GraphBlockRef block = block_at(address);
    if (!block) return Status::kInvalidValue;
    blocks.push_back(std::move(block));
  }
  std::vector<void*> left;
  {
    const std::lock_guard lock(graph_blocks().mutex);
    for (const GraphBlockRef& block : blocks) {
      if (block->is_left() && !use.frees_left) return Status::kInvalidValue;
      if (!block->charge()) return Status::kOutOfMemory;
      if (block->is_left()) {
        left.push_back(reinterpret_cast<void*>(block->allocation().base));
      }
    }
  }
  for (void* const address : left) {
    const Status status = free_in_order(stream, address, site);
    if (status != Status::kSuccess) return status;
  }
  {
    const std::lock_guard lock(graph_blocks().mutex);
    for (const GraphBlockRef& block : blocks) block->set_left(true);
  }
  for (const void* const address : use.freed) forget_left(address);
  return Status::kSuccess;
}

void forget_left(const void* address) {
  const GraphBlockRef block = block_at(address);
  const std::lock_guard lock(graph_blocks().mutex);
  if (block) block->set_left(false);
}

bool free_of_graph(const void* address, const void* site) {
  const GraphBlockRef block = block_at(address);
  if (!block) return false;
  const std::lock_guard lock(graph_blocks().mutex);
  if (!block->is_in_use()) return false;
  block->set_left(false);
  block->leave(site);
  return true;
}

Pool::Figures graph_figures(int device) {
  const std::lock_guard lock(graph_blocks().mutex);
  return graph_blocks().figures.at(static_cast<std::size_t>(device));
}

void reset_graph_figures(int device, bool is_reserved) {
  const std::lock_guard lock(graph_blocks().mutex);
  Pool::Figures& of =
      graph_blocks().figures.at(static_cast<std::size_t>(device));
  if (is_reserved) {
    of.reserved_high = of.reserved;
  } else {
    of.used_high = of.used;
  }
}

void trim_graphs(int device) {
  std::vector<GraphBlockRef> held;  // the last reference is not let go here
  const std::lock_guard lock(graph_blocks().mutex);
  for (const auto& [base, weak] : graph_blocks().by_base) {
    const GraphBlockRef& block = held.emplace_back(weak.lock());
    if (block && block->allocation().device == device) block->trim();
  }
}

}  // namespace eclosion::emulator
