// Memory of the device and pinned memory of the host, and copies between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "stream.h"

namespace eclosion::gpu {

// A range of memory, released when its last owner goes. Move-only.
class Memory {
 public:
  using Release = std::function<void(std::uintptr_t)>;

  Memory(std::uintptr_t address, std::size_t size, int device, Release release);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The device whose memory it is, -1 for the host's.
  [[nodiscard]] int device() const noexcept { return device_; }

 private:
  std::uintptr_t address_;
  std::size_t size_;
  int device_;
  Release release_;
};

// `size` bytes of a device's memory.
Memory allocate(std::size_t size, int device);

// `size` bytes of the host's memory that stay where they are, so that devices
// reach them by themselves. `device`: by whose context they are pinned.
Memory allocate_pinned(std::size_t size, int device);

// Memory of the host that somebody else owns, pinned for as long as the
// result lives. Its address is the host's.
Memory register_host(std::uintptr_t address, std::size_t size, int device);

// Where a device sees an address in registered or pinned memory of the host.
std::uintptr_t device_address(std::uintptr_t host, int device);

// Both return when the work is in the stream. Either address may be the
// host's or any device's; pageable host memory makes a copy wait.
void copy(std::uintptr_t to, std::uintptr_t from, std::size_t size,
          const Stream& stream);
void fill(std::uintptr_t to, std::uint8_t value, std::size_t size,
          const Stream& stream);

// A pool that hands out memory in a stream's order, without waiting for the
// device, and keeps what is returned.
class Pool {
 public:
  // `keep`: bytes that stay in the pool when a stream is synchronized.
  explicit Pool(int device, std::size_t keep = SIZE_MAX);

  // Memory for work that comes later in the stream. It is returned in the
  // stream's order too, and the stream has to live as long as it.
  [[nodiscard]] Memory allocate(std::size_t size, const Stream& stream) const;
  // Give back to the device what is not in use, down to `keep` bytes.
  void trim(std::size_t keep) const;
  [[nodiscard]] std::size_t reserved() const;
  [[nodiscard]] std::size_t used() const;

 private:
  struct Deleter {
    void operator()(cudaMemPool_t pool) const noexcept;
  };
  [[nodiscard]] std::size_t attribute(cudaMemPoolAttr which) const;

  int device_;
  std::shared_ptr<std::remove_pointer_t<cudaMemPool_t>> pool_;
};

}  // namespace eclosion::gpu
