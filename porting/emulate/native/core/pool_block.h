// One allocation of a pool, from the call that asks for it to the moment its
// stream has freed it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "memory_state.h"
#include "pool.h"
#include "status.h"

namespace eclosion::emulator {

class PoolBlock;
using PoolBlockRef = std::shared_ptr<PoolBlock>;

class PoolBlock {
 public:
  // Give it an address, which find() knows and nobody may use yet. The pool has
  // taken the bytes.
  static Status create(PoolRef pool, std::size_t size, const void* site,
                       PoolBlockRef* block);
  // The block at an address; null: none, or it is freed.
  static PoolBlockRef at(const void* address);

  explicit PoolBlock(PoolRef pool) : pool_(std::move(pool)) {}
  PoolBlock(const PoolBlock&) = delete;
  PoolBlock& operator=(const PoolBlock&) = delete;
  ~PoolBlock() { leave(); }

  const Allocation& allocation() const noexcept { return record_.allocation; }
  const PoolRef& pool() const noexcept { return pool_; }
  // Bytes that it takes of its pool.
  std::size_t bytes() const noexcept { return bytes_of(allocation().size); }
  static std::size_t bytes_of(std::size_t size);

  // Its stream has come to the allocation: it may be used.
  void enter();
  // Take it from find(), for one caller: of others that free it, no one gets
  // true. What was put before may still use it.
  bool claim(const void* site);
  // Its stream has come to the free: nobody may use it.
  void leave();
  // Whether leave() has happened; outlives the block.
  std::shared_ptr<const std::atomic<bool>> left() const { return left_; }

 private:
  const PoolRef pool_;
  Record record_;
  std::mutex mutex_;
  std::shared_ptr<std::atomic<bool>> left_ =
      std::make_shared<std::atomic<bool>>(false);
};

}  // namespace eclosion::emulator
