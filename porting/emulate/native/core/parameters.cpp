// Parameters of launches, copied from the program's in either of their forms.
#include <cstring>

#include "launch.h"

namespace eclosion::emulator {
namespace {

constexpr std::size_t kAlignment = 16;

}  // namespace

Parameters Parameters::copy(const KernelRecord& kernel, void* const* values) {
  Parameters made;
  std::size_t total = 0;
  for (std::uint64_t number = 0; number < kernel.parameters; ++number) {
    total += (kernel.sizes[number] + kAlignment - 1) / kAlignment * kAlignment;
  }
  made.bytes_.resize(total + kAlignment);
  auto at = reinterpret_cast<std::uintptr_t>(made.bytes_.data());
  auto* next = reinterpret_cast<unsigned char*>((at + kAlignment - 1) /
                                                kAlignment * kAlignment);
  for (std::uint64_t number = 0; number < kernel.parameters; ++number) {
    const std::size_t size = kernel.sizes[number];
    if (size != 0) std::memcpy(next, values[number], size);
    made.pointers_.push_back(next);
    next += (size + kAlignment - 1) / kAlignment * kAlignment;
  }
  return made;
}

Parameters Parameters::unpack(const KernelRecord& kernel, const void* packed,
                              std::size_t size) {
  std::vector<void*> values;
  std::vector<unsigned char> bytes(
      static_cast<const unsigned char*>(packed),
      static_cast<const unsigned char*>(packed) + size);
  std::size_t at = 0;
  std::size_t needed = 0;
  for (std::uint64_t number = 0; number < kernel.parameters; ++number) {
    const std::size_t bytes_of = kernel.sizes[number];
    const std::size_t alignment = kernel.alignments[number];
    at = (at + alignment - 1) / alignment * alignment;
    needed = at + bytes_of;
    if (needed > bytes.size()) bytes.resize(needed);
    at = needed;
  }
  at = 0;
  for (std::uint64_t number = 0; number < kernel.parameters; ++number) {
    const std::size_t alignment = kernel.alignments[number];
    at = (at + alignment - 1) / alignment * alignment;
    values.push_back(bytes.data() + at);
    at += kernel.sizes[number];
  }
  return copy(kernel, values.data());
}

Status read_extra(void* const* extra, const ExtraMarks& marks,
                  Arguments* arguments) {
  const std::size_t* size = nullptr;
  for (; *extra != marks.end; extra += 2) {
    if (*extra == marks.pointer) {
      arguments->packed = extra[1];
    } else if (*extra == marks.size) {
      size = static_cast<const std::size_t*>(extra[1]);
    } else {
      return Status::kInvalidValue;
    }
  }
  if (arguments->packed == nullptr || size == nullptr) {
    return Status::kInvalidValue;
  }
  arguments->packed_size = *size;
  return Status::kSuccess;
}

Status copy_parameters(const Kernel& kernel, const Arguments& arguments,
                       std::shared_ptr<Parameters>* copy) {
  const KernelRecord& record = *kernel.record;
  if (arguments.packed != nullptr) {
    *copy = std::make_shared<Parameters>(
        Parameters::unpack(record, arguments.packed, arguments.packed_size));
    return Status::kSuccess;
  }
  if (record.parameters != 0 && arguments.values == nullptr) {
    return Status::kInvalidValue;
  }
  *copy =
      std::make_shared<Parameters>(Parameters::copy(record, arguments.values));
  return Status::kSuccess;
}

}  // namespace eclosion::emulator
