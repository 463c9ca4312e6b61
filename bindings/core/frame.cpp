// Checking and building of headers and bodies.
#include "frame.h"

#include <bit>
#include <cstring>
#include <new>

namespace eclosion {
namespace {

static_assert(std::endian::native == std::endian::little,
              "frames are written as they lie in memory");

constexpr std::size_t kMaxNameLength = 512;

std::size_t aligned(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

[[noreturn]] void refuse(const std::string& what, std::uint64_t value) {
  throw FrameError("malformed frame: " + what + " is " + std::to_string(value));
}

// Reads from the front of a span, and refuses to read past its end.
class Reader {
 public:
  explicit Reader(std::string_view rest) : rest_(rest) {}

  std::string_view take(std::uint64_t size, const char* what) {
    if (size > rest_.size()) refuse(std::string("the length of ") + what, size);
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <typename Number>
  Number number(const char* what) {
    Number value;
    std::memcpy(&value, take(sizeof(Number), what).data(), sizeof(Number));
    return value;
  }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::vector<ChainLink> read_chain(std::string_view bytes) {
  std::vector<ChainLink> chain;
  Reader reader(bytes);
  while (!reader.empty()) {
    ChainLink link;
    link.node = reader.number<std::uint64_t>("a call chain");
    link.actor = reader.number<std::uint64_t>("a call chain");
    link.request = reader.number<std::uint64_t>("a call chain");
    auto length = reader.number<std::uint16_t>("a call chain");
    link.name = reader.take(length, "an actor's name");
    chain.push_back(std::move(link));
  }
  return chain;
}

std::string write_chain(std::span<const ChainLink> chain) {
  std::string bytes;
  for (const ChainLink& link : chain) {
    const std::uint64_t numbers[] = {link.node, link.actor, link.request};
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof(numbers));
    std::string_view name =
        std::string_view(link.name).substr(0, kMaxNameLength);
    auto length = static_cast<std::uint16_t>(name.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
    bytes.append(name);
  }
  return bytes;
}

std::size_t table_start(std::size_t method, std::size_t chain) {
  return aligned(method + chain, alignof(BufferRow));
}

void check_rows(std::span<const BufferRow> rows, std::size_t first,
                std::size_t size, std::uint64_t segment) {
  for (const BufferRow& row : rows) {
    if (row.shared > 1) refuse("a buffer's place", row.shared);
    if (row.shared == 1 && segment == 0)
      refuse("the place of a buffer without a segment", row.shared);
    if (row.shared == 1) continue;
    if (row.offset < first || row.offset > size || row.size > size - row.offset)
      refuse("a buffer's offset", row.offset);
  }
}

void copy(char* to, const void* from, std::size_t size) {
  if (size != 0) std::memcpy(to, from, size);
}

void clear(char* to, std::size_t size) {
  if (size != 0) std::memset(to, 0, size);
}

}  // namespace

Bytes::Bytes(std::size_t size) : size_(size) {
  if (size == 0) return;
  if (size > SIZE_MAX - kBufferAlignment) throw std::bad_alloc();
  void* memory =
      std::aligned_alloc(kBufferAlignment, aligned(size, kBufferAlignment));
  if (memory == nullptr) throw std::bad_alloc();
  memory_.reset(static_cast<char*>(memory));
}

void check_header(const FrameHeader& header, std::uint64_t max_body) {
  if (header.magic != kFrameMagic) refuse("the magic number", header.magic);
  auto kind = static_cast<std::uint8_t>(header.kind);
  if (kind < static_cast<std::uint8_t>(FrameKind::kHello) ||
      kind > static_cast<std::uint8_t>(FrameKind::kReturn))
    refuse("the kind", kind);
  if (header.body_length > max_body)
    throw FrameError("frame of " + std::to_string(header.body_length) +
                     " bytes is over the limit of " + std::to_string(max_body));
  const bool cast =
      header.kind == FrameKind::kCast || header.kind == FrameKind::kTree;
  if ((header.target_count != 0) != cast)
    refuse("the number of targets", header.target_count);
}

BodyView view_of(const FrameHeader& header, const Bytes& body) {
  BodyView view;
  std::string_view all(body.data(), body.size());
  Reader reader(all);
  view.method = reader.take(header.method_length, "the method");
  view.chain = read_chain(reader.take(header.chain_length, "the call chain"));
  if (header.buffer_count != 0 || header.data_length != 0) {
    const std::size_t start =
        table_start(header.method_length, header.chain_length);
    reader.take(start - header.method_length - header.chain_length, "padding");
    std::uint64_t size = header.buffer_count * sizeof(BufferRow);
    std::string_view table = reader.take(size, "the table of buffers");
    view.buffers = {reinterpret_cast<const BufferRow*>(table.data()),
                    header.buffer_count};
    view.data = reader.take(header.data_length, "the data");
    check_rows(view.buffers, start + size + header.data_length, body.size(),
               header.segment);
  }
  return view;
}

Frame bare_frame(FrameKind kind, NodeId source, NodeId target) {
  static const auto nothing = std::make_shared<const Bytes>();
  Frame frame;
  frame.header.kind = kind;
  frame.header.source_node = source;
  frame.header.target_node = target;
  frame.body = nothing;
  return frame;
}

std::uint64_t body_length(const FrameHeader& header,
                          std::span<const std::uint64_t> buffers) {
  std::uint64_t end = table_start(header.method_length, header.chain_length) +
                      buffers.size() * sizeof(BufferRow) + header.data_length;
  for (const std::uint64_t size : buffers)
    end = aligned(end, kBufferAlignment) + size;
  return end;
}

std::shared_ptr<const Bytes> make_body(
    FrameHeader& header, std::string_view method,
    std::span<const ChainLink> chain, std::string_view data,
    std::span<const OutgoingBuffer> buffers) {
  const std::string links = write_chain(chain);
  const std::size_t table = table_start(method.size(), links.size());
  const std::size_t data_start = table + buffers.size() * sizeof(BufferRow);
  std::vector<BufferRow> rows;
  std::size_t end = data_start + data.size();
  for (const OutgoingBuffer& buffer : buffers) {
    if (buffer.shared) {
      rows.push_back({buffer.size, buffer.offset, 1, buffer.tag});
      continue;
    }
    end = aligned(end, kBufferAlignment);
    rows.push_back({buffer.size, end, 0, buffer.tag});
    end += buffer.size;
  }
  auto body = std::make_shared<Bytes>(end);
  char* start = body->data();
  copy(start, method.data(), method.size());
  copy(start + method.size(), links.data(), links.size());
  clear(start + method.size() + links.size(),
        table - method.size() - links.size());
  copy(start + table, rows.data(), rows.size() * sizeof(BufferRow));
  copy(start + data_start, data.data(), data.size());
  std::size_t filled = data_start + data.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].shared != 0) continue;
    clear(start + filled, rows[i].offset - filled);
    copy(start + rows[i].offset, buffers[i].memory, rows[i].size);
    filled = rows[i].offset + rows[i].size;
  }
  header.method_length = static_cast<std::uint16_t>(method.size());
  header.chain_length = static_cast<std::uint32_t>(links.size());
  header.buffer_count = static_cast<std::uint32_t>(buffers.size());
  header.data_length = data.size();
  header.body_length = body->size();
  return body;
}

}  // namespace eclosion
