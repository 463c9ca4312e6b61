// Registrations are kept as they come; code is looked for when it is first
// asked for, since sidecars are loaded late and per device.
#include "program.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "config.h"
#include "findings.h"
#include "memory.h"
#include "names.h"
#include "places.h"
#include "sidecar.h"

namespace eclosion::emulator {
namespace {

struct Image {
  const void* wrapper;
  std::set<std::string> kernels;  // canonical names
  std::set<std::string> variables;
};

struct HostName {
  Image* image;
  std::string name;  // canonical
  std::size_t size = 0;
  void* managed = nullptr;
};

// The sidecars of one device.
struct Loaded {
  std::vector<std::unique_ptr<Sidecar>> sidecars;
  std::vector<const UnitRecord*> units;
  std::map<const KernelRecord*, std::unique_ptr<Kernel>> kernels;
  // Variables by address.
  std::map<std::uintptr_t, const VariableRecord*> variables;
  unsigned wave_size = 0;
};

template <typename Record>
bool is_called(const Record& record, const std::string& name) {
  return canonical(record.name) == name;
}

const KernelRecord* kernel_in(const UnitRecord& unit, const std::string& name) {
  const auto* end = unit.kernels + unit.kernel_count;
  const auto* found = std::find_if(
      unit.kernels, end,
      [&](const KernelRecord& each) { return is_called(each, name); });
  return found == end ? nullptr : found;
}

const VariableRecord* variable_in(const UnitRecord& unit,
                                  const std::string& name) {
  const auto* end = unit.variables + unit.variable_count;
  const auto* found = std::find_if(
      unit.variables, end,
      [&](const VariableRecord& each) { return is_called(each, name); });
  return found == end ? nullptr : found;
}

// How much of an image a unit has, less the kernels that it has besides: of its
// own unit that is all, and nothing.
std::ptrdiff_t likeness(const UnitRecord& unit, const Image& image) {
  std::ptrdiff_t found = 0;
  for (const std::string& name : image.kernels) {
    found += kernel_in(unit, name) != nullptr ? 1 : 0;
  }
  for (const std::string& name : image.variables) {
    found += variable_in(unit, name) != nullptr ? 1 : 0;
  }
  return 2 * found - static_cast<std::ptrdiff_t>(unit.kernel_count);
}

// With no lock held: places are looked up here too.
void tell_unknown(const char* what, const std::string& name, const void* host) {
  tell({Kind::kNoCode,
        std::string("no sidecar has the ") + what + " " + demangle(name) +
            "; name the build folder whose sources it is in (porting emulate "
            "--build-dir)",
        "",
        {host, {}},
        {}});
}

}  // namespace

struct Program::State {
  mutable std::shared_mutex lock;
  std::vector<std::unique_ptr<Image>> images;
  std::unordered_map<const void*, HostName> kernels;
  std::unordered_map<const void*, HostName> variables;
  std::map<int, std::unique_ptr<Loaded>> devices;
  // What was found before, by function and device.
  std::map<std::pair<const void*, int>, Kernel*> found;

  Loaded& loaded(int device);
  Kernel* kernel_of(Loaded& device, const KernelRecord* record);
  std::vector<const UnitRecord*> by_likeness(Loaded& device,
                                             const Image* image);
};

Loaded& Program::State::loaded(int device) {
  std::unique_ptr<Loaded>& place = devices[device];
  if (place) return *place;
  const bool is_first = devices.size() == 1;
  place = std::make_unique<Loaded>();
  for (const std::string& path : Config::get().sidecars) {
    auto sidecar = Sidecar::load(path, is_first);
    if (!sidecar) continue;
    const SidecarRecord& record = sidecar->record();
    place->wave_size = static_cast<unsigned>(record.wave_size);
    for (std::uint64_t number = 0; number < record.unit_count; ++number) {
      const UnitRecord* unit = record.units[number];
      place->units.push_back(unit);
      for (std::uint64_t each = 0; each < unit->variable_count; ++each) {
        const VariableRecord& variable = unit->variables[each];
        place->variables[reinterpret_cast<std::uintptr_t>(variable.address)] =
            &variable;
      }
    }
    place->sidecars.push_back(std::move(sidecar));
  }
  return *place;
}

Kernel* Program::State::kernel_of(Loaded& device, const KernelRecord* record) {
  std::unique_ptr<Kernel>& place = device.kernels[record];
  if (!place) {
    place = std::make_unique<Kernel>();
    place->record = record;
    place->wave_size =
        Config::get().wave != 0 ? Config::get().wave : device.wave_size;
    place->name = demangle(record->name);
  }
  return place.get();
}

// A name may be in several units (templates, names local to a unit): the unit
// that is most like the image is the one that it was made of.
std::vector<const UnitRecord*> Program::State::by_likeness(Loaded& device,
                                                           const Image* image) {
  if (image == nullptr) return device.units;
  std::vector<std::pair<std::ptrdiff_t, const UnitRecord*>> rated;
  for (const UnitRecord* unit : device.units) {
    rated.emplace_back(likeness(*unit, *image), unit);
  }
  std::vector<const UnitRecord*> units;
  while (!rated.empty()) {
    const auto best = std::ranges::max_element(
        rated, {}, [](const auto& each) { return each.first; });
    units.push_back(best->second);
    rated.erase(best);
  }
  return units;
}

Program::Program() : state_(new State) {}

Program& Program::get() {
  static auto& program = *new Program;  // never destroyed
  return program;
}

void** Program::register_image(const void* wrapper) {
  const std::lock_guard guard(state_->lock);
  state_->images.push_back(std::make_unique<Image>(Image{wrapper, {}, {}}));
  return reinterpret_cast<void**>(state_->images.back().get());
}

void Program::unregister_image(void** handle) {
  const std::lock_guard guard(state_->lock);
  auto* image = reinterpret_cast<Image*>(handle);
  const auto is_its = [&](const auto& entry) {
    return entry.second.image == image;
  };
  std::erase_if(state_->kernels, is_its);
  std::erase_if(state_->variables, is_its);
  state_->found.clear();
  std::erase_if(state_->images,
                [&](const auto& each) { return each.get() == image; });
}

void Program::register_kernel(void** image, const void* host,
                              const char* name) {
  const std::lock_guard guard(state_->lock);
  auto* its = reinterpret_cast<Image*>(image);
  its->kernels.insert(canonical(name));
  state_->kernels[host] = {its, canonical(name)};
}

void Program::register_variable(void** image, void* host, const char* name,
                                std::size_t size, bool) {
  const std::lock_guard guard(state_->lock);
  auto* its = reinterpret_cast<Image*>(image);
  its->variables.insert(canonical(name));
  state_->variables[host] = {its, canonical(name), size};
}

// Device code has the variable itself, so the host's pointer leads there; all
// devices would have to share it.
void Program::register_managed(void** image, void** pointer, const char* name,
                               std::size_t size) {
  register_variable(image, pointer, name, size, false);
  void* address = nullptr;
  std::size_t found = 0;
  if (variable(pointer, 0, &address, &found) != Status::kSuccess) return;
  const std::lock_guard guard(state_->lock);
  state_->variables[pointer].managed = address;
  *pointer = address;
}

Status Program::kernel(const void* host, int device, Kernel** found) {
  {
    const std::shared_lock guard(state_->lock);
    const auto known = state_->found.find({host, device});
    if (known != state_->found.end()) {
      *found = known->second;
      return Status::kSuccess;
    }
  }
  std::unique_lock guard(state_->lock);
  const auto named = state_->kernels.find(host);
  if (named == state_->kernels.end()) return Status::kUnknownKernel;
  Loaded& loaded = state_->loaded(device);
  for (const UnitRecord* unit :
       state_->by_likeness(loaded, named->second.image)) {
    if (const KernelRecord* record = kernel_in(*unit, named->second.name)) {
      *found = state_->kernel_of(loaded, record);
      state_->found[{host, device}] = *found;
      return Status::kSuccess;
    }
  }
  const std::string name = named->second.name;
  guard.unlock();
  tell_unknown("kernel", name, host);
  return Status::kUnknownKernel;
}

Status Program::kernel_by_name(const std::string& name, int device,
                               Kernel** found) {
  const std::lock_guard guard(state_->lock);
  Loaded& loaded = state_->loaded(device);
  for (const UnitRecord* unit : loaded.units) {
    if (const KernelRecord* record = kernel_in(*unit, canonical(name))) {
      *found = state_->kernel_of(loaded, record);
      return Status::kSuccess;
    }
  }
  return Status::kNotFound;
}

Status Program::variable(const void* host, int device, void** address,
                         std::size_t* size) {
  std::unique_lock guard(state_->lock);
  const auto named = state_->variables.find(host);
  if (named == state_->variables.end()) return Status::kUnknownVariable;
  if (named->second.managed != nullptr) {
    *address = named->second.managed;
    *size = named->second.size;
    return Status::kSuccess;
  }
  Loaded& loaded = state_->loaded(device);
  for (const UnitRecord* unit :
       state_->by_likeness(loaded, named->second.image)) {
    if (const VariableRecord* record = variable_in(*unit, named->second.name)) {
      *address = record->address;
      *size = record->size;
      return Status::kSuccess;
    }
  }
  const std::string name = named->second.name;
  guard.unlock();
  tell_unknown("variable", name, host);
  return Status::kUnknownVariable;
}

Status Program::variable_by_name(const std::string& name, int device,
                                 void** address, std::size_t* size) {
  const std::lock_guard guard(state_->lock);
  for (const UnitRecord* unit : state_->loaded(device).units) {
    if (const VariableRecord* record = variable_in(*unit, canonical(name))) {
      *address = record->address;
      *size = record->size;
      return Status::kSuccess;
    }
  }
  return Status::kNotFound;
}

Program::Reach Program::reach(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::shared_lock guard(state_->lock);
  Reach reach;
  for (const auto& [number, loaded] : state_->devices) {
    const auto next = loaded->variables.upper_bound(at);
    if (next != loaded->variables.begin()) {
      const auto& [base, variable] = *std::prev(next);
      if (at - base < variable->size) {
        return {true, true, variable->is_constant != 0,
                static_cast<std::size_t>(base + variable->size - at),
                demangle(variable->name)};
      }
    }
    for (const auto& sidecar : loaded->sidecars) {
      reach.is_sidecar = reach.is_sidecar || sidecar->has(address);
    }
  }
  return reach;
}

bool Program::locate(const void* address, std::string* file,
                     std::uint64_t* offset) const {
  const std::shared_lock guard(state_->lock);
  for (const auto& [number, loaded] : state_->devices) {
    for (const auto& sidecar : loaded->sidecars) {
      if (!sidecar->has(address)) continue;
      *file = sidecar->path();
      *offset = sidecar->offset_of(address);
      return true;
    }
  }
  return false;
}

unsigned Program::wave_size() {
  if (Config::get().wave != 0) return Config::get().wave;
  const std::lock_guard guard(state_->lock);
  const unsigned found = state_->loaded(0).wave_size;
  return found == 0 ? 32 : found;
}

}  // namespace eclosion::emulator
