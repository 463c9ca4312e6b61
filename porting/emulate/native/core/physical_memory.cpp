// Memory of a device that has no address of its own.
#include "physical_memory.h"

#include <unistd.h>

#include <mutex>

namespace eclosion::emulator {

PhysicalMemory::PhysicalMemory(int file, const FileTitle& title,
                               std::size_t size)
    : file_(file), title_(title), size_(size) {}

// A file of its own; where too many are open, a part of the arena's file, whose
// addresses then serve for nothing else.
bool PhysicalMemory::put_memory(MemoryState& state) {
  {
    const std::lock_guard lock(state.mutex);
    title_.id = state.next_id++;
    is_charged_ = state.charge(device(), size_);
    if (!is_charged_) return false;
    is_counted_ = state.own_files < state.most_own_files;
    if (is_counted_) {
      ++state.own_files;
    } else {
      const auto pages = state.take_pages(size_, kPage);
      if (!pages) return false;
      pages_ = *pages;
      file_ = state.arena.file();
      offset_ = state.arena.offset_of(pages_);
      return true;
    }
  }
  file_ = create_memory_file(title_, size_);
  if (file_ < 0) return false;
  if (!state.fill(size_)) return true;
  filled_ = size_;
  return fill_fresh(file_, size_);
}

std::shared_ptr<PhysicalMemory> PhysicalMemory::create(std::size_t size,
                                                       int device,
                                                       const void* site) {
  MemoryState& state = memory_state();
  auto made = std::make_shared<PhysicalMemory>(
      -1, FileTitle{FileUse::kPhysical, state.nonce, 0, device}, size);
  made->site_ = site;
  if (!made->put_memory(state)) return nullptr;
  return made;
}

PhysicalMemory::~PhysicalMemory() {
  MemoryState& state = memory_state();
  if (state.is_forked) return;
  state.unfill(filled_);
  if (owns_file() && file_ >= 0) ::close(file_);
  const std::lock_guard lock(state.mutex);
  if (is_charged_) state.refund(device(), size_);
  if (is_counted_) --state.own_files;
  if (owns_file()) return;
  state.arena.decommit_own(pages_, size_);
  state.pages.give(pages_, size_);
}

}  // namespace eclosion::emulator
