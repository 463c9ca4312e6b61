// The words of wave_findings.h.
#include "wave_findings.h"

#include <bit>
#include <cstdio>
#include <string>

#include "findings.h"
#include "places.h"

namespace eclosion::emulator {
namespace {

std::string hex(std::uint64_t mask) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(mask));
  return text;
}

std::string triple(const unsigned (&numbers)[3]) {
  return "(" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) +
         ", " + std::to_string(numbers[2]) + ")";
}

unsigned first_of(std::uint64_t mask) {
  return static_cast<unsigned>(std::countr_zero(mask));
}

}  // namespace

std::string describe(const GpuThread& lane) {
  return "thread " + triple(lane.thread_idx) + " of block " +
         triple(lane.block_idx);
}

void tell_absent(const GridRun& run, std::span<const GpuThread> lanes,
                 const WaveGroup& group) {
  const GpuThread& here = lanes[first_of(group.members)];
  const GpuThread& there = lanes[first_of(group.absent)];
  Finding finding{Kind::kInactiveLane, "", run.request().kernel->name, {}, {}};
  finding.text = "lanes " + hex(group.absent) + " are named in the mask " +
                 hex(here.call.mask) + " but do not come: " + describe(there) +
                 " waits elsewhere; on a device the others wait for ever or "
                 "get undefined values";
  finding.at = {here.call.site, describe(here)};
  tell(finding);
}

void tell_missing(const GridRun& run, std::span<const GpuThread> lanes,
                  const WaveGroup& group, std::uint64_t missing) {
  const GpuThread& reader = lanes[first_of(missing)];
  const unsigned source = shuffle_source(
      reader.call.what, reader.lane, reader.call.argument, reader.call.width);
  Finding finding{Kind::kInactiveLane, "", run.request().kernel->name, {}, {}};
  finding.text = "lane " + std::to_string(reader.lane) + " reads lane " +
                 std::to_string(source) + ", which does not take part (lanes " +
                 hex(group.members) + " do); its value is undefined";
  finding.at = {reader.call.site, describe(reader)};
  tell(finding);
}

void tell_divergence(const GridRun& run, const GpuThread& first,
                     const void* first_site, const GpuThread& second,
                     const void* second_site) {
  // A compiler may make several barriers of one in the source.
  if (is_same_line(first_site, second_site)) return;
  Finding finding{
      Kind::kDivergentBarrier, "", run.request().kernel->name, {}, {}};
  finding.text = "threads of one block wait at two barriers";
  finding.at = {second_site, describe(second)};
  finding.also.push_back({first_site, describe(first)});
  tell(finding);
}

void tell_left_out(const GridRun& run, const GpuThread& waiting, unsigned ended,
                   unsigned elsewhere) {
  Finding finding{
      Kind::kDivergentBarrier, "", run.request().kernel->name, {}, {}};
  finding.text = "a barrier that not all threads of the block reach: " +
                 std::to_string(ended) + " have ended, " +
                 std::to_string(elsewhere) + " wait for something else";
  finding.at = {waiting.barrier_site, describe(waiting)};
  tell(finding);
}

}  // namespace eclosion::emulator
