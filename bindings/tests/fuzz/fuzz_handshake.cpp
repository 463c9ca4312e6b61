// Fuzzes the handshake: as a stranger who does not know the secret, and as
// somebody between two honest nodes who changes a byte under way.
#include <algorithm>
#include <string_view>
#include <vector>

#include "check.h"
#include "choices.h"
#include "handshake.h"

namespace {

using eclosion::ByteSpan;
using eclosion::Handshake;
using eclosion::HandshakeState;
using eclosion::HandshakeStep;
using eclosion::NonceSource;
using eclosion::Role;
using fuzz::Choices;
using Message = std::vector<std::byte>;

constexpr std::string_view kSecret = "a secret of twenty-three";
constexpr std::uint64_t kDialing = 1, kAccepting = 2;

ByteSpan secret() { return std::as_bytes(std::span(kSecret)); }

NonceSource fixed(std::byte value) {
  return [value](std::span<std::byte> to) {
    std::fill(to.begin(), to.end(), value);
  };
}

// Feed in pieces, and check what holds for every step.
Message feed(Handshake& to, ByteSpan data, std::size_t piece) {
  Message output;
  while (!data.empty()) {
    const bool over = to.state() != HandshakeState::kNeedMore;
    const ByteSpan part = data.first(std::min(piece, data.size()));
    const HandshakeStep step = to.feed(part);
    FUZZ_CHECK(step.state == to.state());
    FUZZ_CHECK(step.consumed <= part.size());
    FUZZ_CHECK(!over || (step.consumed == 0 && step.output.empty()));
    FUZZ_CHECK(step.state != HandshakeState::kNeedMore ||
               step.consumed == part.size());
    FUZZ_CHECK(to.reason().empty() == (step.state != HandshakeState::kRefused));
    FUZZ_CHECK(to.reason().size() < 300);
    FUZZ_CHECK((to.peer() != 0) == (step.state == HandshakeState::kDone));
    output.insert(output.end(), step.output.begin(), step.output.end());
    if (over) break;
    data = data.subspan(step.consumed);
  }
  FUZZ_CHECK(output.size() <= Handshake::kHelloSize + Handshake::kProofSize);
  return output;
}

void stranger(Choices choices) {
  const bool dials = choices.yes();
  const bool greets = choices.yes();
  const std::size_t piece = 1 + choices.below(64);
  Handshake target(dials ? Role::kDialer : Role::kAcceptor, secret(), kDialing,
                   fixed(std::byte{1}));
  Message data;
  if (greets) {  // past the first message, which mutation rarely gets right
    Handshake other(dials ? Role::kAcceptor : Role::kDialer, secret(),
                    kAccepting, fixed(std::byte{2}));
    data = dials ? other.feed(target.start()).output : other.start();
  }
  const ByteSpan rest = choices.rest();
  data.insert(data.end(), rest.begin(), rest.end());
  feed(target, data, piece);
  FUZZ_CHECK(target.state() != HandshakeState::kDone);
}

// Returns whether the message was changed.
bool tamper(Message& message, Choices& choices) {
  if (message.empty() || !choices.yes()) return false;
  const std::uint8_t change = choices.next();
  message[choices.below(message.size())] ^= std::byte{change};
  return change != 0;
}

void between(Choices choices) {
  Handshake dialer(Role::kDialer, secret(), kDialing, fixed(std::byte{1}));
  Handshake acceptor(Role::kAcceptor, secret(), kAccepting,
                     fixed(std::byte{2}));
  const std::size_t piece = 1 + choices.below(64);
  Message message = dialer.start();
  bool changed = false;
  for (int turn = 0; turn < 4; ++turn) {
    Handshake& receiver = turn % 2 == 0 ? acceptor : dialer;
    changed = tamper(message, choices) || changed;
    message = feed(receiver, message, piece);
    FUZZ_CHECK(!changed || receiver.state() != HandshakeState::kDone);
  }
  FUZZ_CHECK(changed ||
             (dialer.peer() == kAccepting && acceptor.peer() == kDialing));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  Choices choices(std::as_bytes(std::span(data, size)));
  choices.yes() ? between(choices) : stranger(choices);
  return 0;
}
