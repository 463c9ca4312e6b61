// A message as Python sees it.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "core/node.h"

namespace eclosion {

// What a buffer becomes at its receiver: the tags of BufferRow.
inline constexpr std::uint32_t kIsMemory = 0;
inline constexpr std::uint32_t kIsBytes = 1;

// Its buffers are read once, when Python asks for them; dropped unread, their
// shared memory is free again.
class PyMessage {
 public:
  PyMessage(std::shared_ptr<Node> node, Frame frame);
  PyMessage(const PyMessage&) = delete;
  PyMessage& operator=(const PyMessage&) = delete;
  ~PyMessage();

  [[nodiscard]] const FrameHeader& header() const { return frame_.header; }
  [[nodiscard]] const BodyView& view() const { return view_; }
  nanobind::list buffers();
  [[nodiscard]] nanobind::object method();
  // To who asked: status, data and buffers, which are copied.
  void reply(int status, nanobind::handle data, const nanobind::list& buffers);

 private:
  nanobind::object buffer_of(const BufferRow& row);

  std::shared_ptr<Node> node_;
  Frame frame_;
  BodyView view_;
  nanobind::object method_;  // once it was asked for
  bool released_ = false;
};

void init_message(nanobind::module_& m);

}  // namespace eclosion
