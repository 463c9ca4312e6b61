// Races with the host: while a copy works on pinned memory, its pages are
// closed to the host until the host has seen that the copy is done.
//
// What a copy writes can be neither read nor written, what it reads can be
// read. The emulator's own copies go through another view of the same memory
// (Memory::alias). A fault of the host's is a race if it is in the copied
// bytes; it is told, and the host goes on when the copy is done.
//
// HG-1 Kernels are not guarded against: a host may watch memory that they
// write. HG-2 A page of which only some bytes are copied is closed only when
// the copy has
//      no whole page: a system call on its other bytes would fail.
// HG-3 A copy that comes after a function of the program, or after something
// that
//      waits for the host, is no race: the host may know that it has not begun.
// HG-4 Kernels that touch closed pages open them, and that is no race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "host_frames.h"
#include "operation.h"

namespace eclosion::emulator {

// Close what the operation's ranges say; before it is submitted.
void guard_host_memory(const OperationRef& operation);

// Open what the host has seen the end of (host_saw()).
void open_seen_memory();

// The memory is freed: nothing guards it any more.
void forget_guards(const void* base, std::size_t size);

// An access of the host's or of a kernel's to what is closed.
struct HostFault {
  std::uintptr_t address;
  HostFrames frames;
  bool is_write;
  bool is_of_kernel;
};

// Whether the page was closed here; it is open then. Tells a race, and waits
// for the operation. Not to be called by a signal handler.
bool settle(const HostFault& fault);

}  // namespace eclosion::emulator
