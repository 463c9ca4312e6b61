// Fuzzes what reads frames: bytes that no sender of ours wrote, streams of
// frames cut anywhere, and bodies that are made and viewed again.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cast.h"
#include "check.h"
#include "choices.h"
#include "frame.h"
#include "frame_reader.h"

namespace {

using eclosion::BodyView;
using eclosion::Branch;
using eclosion::Bytes;
using eclosion::ChainLink;
using eclosion::Frame;
using eclosion::FrameError;
using eclosion::FrameHeader;
using eclosion::FrameKind;
using eclosion::FrameReader;
using eclosion::OutgoingBuffer;
using eclosion::Target;
using fuzz::Choices;

constexpr std::uint64_t kMaxBody = 128 << 10;

// Reads every byte, so that the sanitizer sees those that are not there.
void read(std::string_view bytes) {
  const volatile char* byte = bytes.data();
  for (std::size_t i = 0; i < bytes.size(); ++i) (void)byte[i];
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view all_of(const Frame& frame) {
  return {frame.body->data(), frame.body->size()};
}

void view(const Frame& frame) {
  const BodyView view = view_of(frame.header, *frame.body);
  read(view.method);
  read(view.data);
  for (const ChainLink& link : view.chain) read(link.name);
  for (const eclosion::BufferRow& row : view.buffers) {
    if (row.shared == 0) read({frame.body->data() + row.offset, row.size});
  }
}

// What a host does with a tree: what it sends on has no fault.
void pass_on(const Frame& tree, const std::shared_ptr<const Bytes>& rest) {
  const std::vector<Branch> branches = branches_of(tree);
  const Frame request = for_target(tree, {}, rest);
  for (const auto part : parts_of(branches, 3)) {
    const Frame sent = tree_of(request, part);
    check_header(sent.header, sent.body->size());
    FUZZ_CHECK(branches_of(sent).size() == part.size());
    FUZZ_CHECK(without_rows(sent)->size() == rest->size());
  }
}

// What a node does with a frame.
void look_into(const Frame& frame) {
  try {
    const bool tree = frame.header.kind == FrameKind::kTree;
    if (frame.header.kind != FrameKind::kCast && !tree) return view(frame);
    const auto rest = without_rows(frame);
    for (const Target& target : targets_of(frame))
      view(for_target(frame, target, rest));
    if (tree) pass_on(frame, rest);
  } catch (const FrameError&) {  // what it is to say
  }
}

// Returns the frames that came out before the end or the first fault.
std::vector<Frame> received(std::string_view stream, std::size_t piece) {
  std::vector<Frame> frames;
  FrameReader reader(kMaxBody,
                     [&](Frame frame) { frames.push_back(std::move(frame)); });
  try {
    while (!stream.empty()) {
      const std::span<char> space = reader.space();
      FUZZ_CHECK(!space.empty());
      const std::size_t size = std::min({piece, space.size(), stream.size()});
      std::memcpy(space.data(), stream.data(), size);
      reader.filled(size);
      stream.remove_prefix(size);
    }
  } catch (const FrameError&) {  // the connection would be closed
  }
  return frames;
}

FrameHeader header_from(Choices& choices) {
  FrameHeader header;
  header.kind = static_cast<FrameKind>(1 + choices.below(12));
  header.flags = choices.next();
  header.method_length = static_cast<std::uint16_t>(choices.number());
  header.chain_length = static_cast<std::uint32_t>(choices.number());
  header.buffer_count = static_cast<std::uint32_t>(choices.number());
  if (header.kind == FrameKind::kCast || header.kind == FrameKind::kTree) {
    header.target_count =
        std::max(1U, static_cast<std::uint32_t>(choices.number()));
    header.index = static_cast<std::uint32_t>(choices.number());
  }
  header.data_length = choices.number();
  return header;
}

void append(std::string& stream, const FrameHeader& header,
            std::string_view body) {
  stream.append(reinterpret_cast<const char*>(&header), sizeof(header));
  stream.append(body);
}

// Frames whose lengths are true and whose bodies are arbitrary come out as
// they went in, however they are cut; a changed byte does no harm.
void frames(Choices choices) {
  const std::size_t piece = 1 + choices.below(100'000);
  const bool changed = choices.yes();
  const std::uint64_t change_at = choices.number();
  std::string stream;
  std::size_t count = 0;
  while (!choices.empty() && count < 8) {
    FrameHeader header = header_from(choices);
    // A body above the size of the reader's buffer takes another way.
    const bool large = count == 1 && piece > 1000 && choices.yes();
    std::string body(large ? 70'000 : 0, 'x');
    body.insert(0, text_of(choices.take(choices.below(512))));
    header.body_length = body.size();
    append(stream, header, body);
    ++count;
  }
  if (changed && !stream.empty()) {
    stream[change_at % stream.size()] ^= static_cast<char>(0x41);
  }
  const std::vector<Frame> out = received(stream, piece);
  FUZZ_CHECK(out.size() <= count || changed);
  std::string again;
  for (const Frame& frame : out) {
    append(again, frame.header, all_of(frame));
    look_into(frame);
  }
  FUZZ_CHECK(stream.starts_with(again));
  FUZZ_CHECK(changed || again.size() == stream.size());
}

// What one of ours wrote, with a few bytes changed, is viewed or refused.
void damage(Choices& choices, FrameHeader header, const eclosion::Bytes& body) {
  auto copy = std::make_shared<eclosion::Bytes>(body.size());
  if (body.size() != 0) std::memcpy(copy->data(), body.data(), body.size());
  for (std::size_t left = 1 + choices.below(4); left != 0; --left) {
    // The front, where the tables are, is changed more often than the data.
    const bool in_body = choices.yes() && copy->size() != 0;
    char* const bytes =
        in_body ? copy->data() : reinterpret_cast<char*>(&header);
    const std::size_t size = in_body ? copy->size() : sizeof(header);
    bytes[choices.below(size)] = static_cast<char>(choices.next());
  }
  header.body_length = copy->size();
  look_into({header, copy, nullptr});
}

// What is made of parts has these parts.
void round_trip(Choices choices) {
  FrameHeader header;
  header.kind = FrameKind::kRequest;
  const std::string_view method = text_of(choices.take(choices.below(40)));
  const std::string_view data = text_of(choices.take(choices.below(300)));
  std::vector<ChainLink> chain(choices.below(4));
  for (ChainLink& link : chain) {
    link = {choices.number(), choices.number(), choices.number(),
            std::string(text_of(choices.take(choices.below(20))))};
  }
  std::vector<std::string_view> parts(choices.below(5));
  std::vector<OutgoingBuffer> buffers;
  for (std::string_view& part : parts) {
    part = text_of(choices.take(choices.below(200)));
    OutgoingBuffer buffer;
    buffer.memory = part.data();
    buffer.size = part.size();
    buffers.push_back(buffer);
  }
  const auto body = eclosion::make_body(header, method, chain, data, buffers);
  check_header(header, kMaxBody);
  const BodyView view = view_of(header, *body);
  FUZZ_CHECK(view.method == method && view.data == data);
  FUZZ_CHECK(view.chain.size() == chain.size());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    FUZZ_CHECK(view.chain[i].request == chain[i].request);
    FUZZ_CHECK(view.chain[i].name == chain[i].name);
  }
  FUZZ_CHECK(view.buffers.size() == parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view all(body->data(), body->size());
    FUZZ_CHECK(view.buffers[i].offset % eclosion::kBufferAlignment == 0);
    FUZZ_CHECK(all.substr(view.buffers[i].offset, view.buffers[i].size) ==
               parts[i]);
  }
  damage(choices, header, *body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Choices choices(std::as_bytes(std::span(data, size)));
  switch (choices.below(3)) {
    case 0:
      frames(choices);
      break;
    case 1:
      round_trip(choices);
      break;
    default:
      const std::size_t piece = 1 + choices.next();
      for (const Frame& frame : received(text_of(choices.rest()), piece)) {
        look_into(frame);
      }
  }
  return 0;
}
