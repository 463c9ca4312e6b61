// Where the bytes of a stream go, and when they are a frame.
#include "frame_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace eclosion {
namespace {

constexpr std::size_t kBufferSize = 64 << 10;
// What a peer may have sent ahead of the frames it belongs to.
constexpr std::size_t kMaxDescriptors = 1024;

}  // namespace

FrameReader::FrameReader(std::uint64_t max_body, Receive receive)
    : max_body_(max_body), receive_(std::move(receive)), buffer_(kBufferSize) {}

std::span<char> FrameReader::space() {
  if (body_ && start_ == end_ && body_->size() - body_filled_ >= kBufferSize)
    return {body_->data() + body_filled_, body_->size() - body_filled_};
  if (start_ == end_) start_ = end_ = 0;
  if (end_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void FrameReader::filled(std::size_t size) {
  if (body_ && start_ == end_ && body_->size() - body_filled_ >= kBufferSize) {
    body_filled_ += size;
  } else {
    end_ += size;
  }
  parse();
}

void FrameReader::add_descriptor(std::shared_ptr<Descriptor> descriptor) {
  if (descriptors_.size() == kMaxDescriptors)
    throw FrameError("the peer sent descriptors without their frames");
  descriptors_.push_back(std::move(descriptor));
}

void FrameReader::parse() {
  while (true) {
    if (!body_) {
      if (end_ - start_ < sizeof(FrameHeader)) return;
      std::memcpy(&header_, buffer_.data() + start_, sizeof(FrameHeader));
      check_header(header_, max_body_);
      start_ += sizeof(FrameHeader);
      body_ = std::make_shared<Bytes>(header_.body_length);
      body_filled_ = 0;
    }
    const std::size_t size =
        std::min(end_ - start_, body_->size() - body_filled_);
    if (size != 0)
      std::memcpy(body_->data() + body_filled_, buffer_.data() + start_, size);
    start_ += size;
    body_filled_ += size;
    if (body_filled_ < body_->size()) return;
    deliver();
  }
}

void FrameReader::deliver() {
  Frame frame{header_, std::exchange(body_, nullptr), nullptr};
  if (header_.segment != 0) {
    if (descriptors_.empty())
      throw FrameError("malformed frame: a segment without its descriptor");
    frame.segment = std::move(descriptors_.front());
    descriptors_.pop_front();
  }
  receive_(std::move(frame));
}

}  // namespace eclosion
