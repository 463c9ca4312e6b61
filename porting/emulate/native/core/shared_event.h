// An event that several processes record and wait for, in a page they share.
//
// Records are numbered; the page holds the number of the last one, who made it,
// and the highest that is done. The page is a file without a name, which other
// processes open through the descriptors of the one that made it.
#pragma once

#include <cstdint>
#include <memory>

#include "status.h"

namespace eclosion::emulator {

class SharedEvent {
 public:
  // Null: there is no memory or descriptor left.
  static std::shared_ptr<SharedEvent> make();
  // kInvalidContext: the handle is of this process. kInvalidValue: it is no
  // handle of an event. kMapFailed: who made it is gone.
  static Status open(const unsigned char (&handle)[64],
                     std::shared_ptr<SharedEvent>* event);
  ~SharedEvent();
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;

  void describe(unsigned char (&handle)[64]) const;

  std::uint64_t begin_record();
  void finish_record(std::uint64_t record);
  std::uint64_t last_record() const;  // 0: none yet
  // kNotReady; kUnknown: whoever recorded it ended before it was done.
  Status state_of(std::uint64_t record) const;
  // Wait until state_of() is another than kNotReady.
  Status wait(std::uint64_t record) const;

 private:
  struct Page;
  SharedEvent(int file, Page* page);

  int file_;  // -1: another process's
  Page* page_;
  std::uint64_t birth_;  // when this process began
};

}  // namespace eclosion::emulator
