// The channel of tls.h over OpenSSL's buffers in memory.
#include "tls.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

// Numbers of OpenSSL's headers, which are part of its binary interface.
constexpr int kPem = 1;
constexpr int kSetMinVersion = 123;
constexpr long kTls13 = 0x0304;
constexpr int kSetCacheMode = 44;
constexpr long kNoCache = 0;
constexpr int kVerifyPeerAndRequireOne = 1 | 2;
constexpr int kWantRead = 2;
constexpr int kZeroReturn = 6;
constexpr unsigned long kReasonMask = 0x7fffff;
constexpr unsigned long kCertificateVerifyFailed = 134;
constexpr unsigned long kFirstAlert = 1000;  // reasons that the peer sent

// The first byte of a record: alerts and handshakes begin a connection.
constexpr std::byte kAlertRecord{21};
constexpr std::byte kHandshakeRecord{22};

// OpenSSL's buffers do not hold more than 1.5 GiB; less is faster.
constexpr std::size_t kSlice = 1 << 20;
constexpr std::string_view kExportLabel = "EXPORTER-eclosion-handshake";

// A password would be asked for on the terminal.
int no_password(char*, int, int, void*) { return -1; }

void require_readable(const std::string& what, const std::string& path) {
  if (access(path.c_str(), R_OK) == 0) return;
  throw TlsError(what + " " + path +
                 " cannot be read: " + std::generic_category().message(errno));
}

template <typename Take>
void for_slices(ByteSpan data, Take take) {
  while (!data.empty()) {
    const ByteSpan slice = data.first(std::min(kSlice, data.size()));
    take(slice);
    data = data.subspan(slice.size());
  }
}

}  // namespace

std::string tls_unavailable() {
  try {
    TlsLibrary::get();
  } catch (const TlsError& error) {
    return error.what();
  }
  return {};
}

TlsIdentity::TlsIdentity(const TlsLibrary& library)
    : library_(library), context_(library.ctx_new(library.tls_method())) {
  if (context_ == nullptr) {
    throw TlsError("TLS cannot be set up: " +
                   library.text_of(library.take_error()));
  }
}

TlsIdentity::~TlsIdentity() { library_.ctx_free(context_); }

std::shared_ptr<const TlsIdentity> TlsIdentity::load(const TlsFiles& files) {
  const TlsLibrary& library = TlsLibrary::get();
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity(library));
  SslContext* const context = identity->context_;
  library.ctx_ctrl(context, kSetMinVersion, kTls13, nullptr);
  // Every connection is verified anew, so nothing is kept to resume it.
  library.ctx_ctrl(context, kSetCacheMode, kNoCache, nullptr);
  library.ctx_set_num_tickets(context, 0);
  library.ctx_set_verify(context, kVerifyPeerAndRequireOne, nullptr);
  library.ctx_set_default_passwd_cb(context, no_password);

  const auto load = [&](const char* what, const std::string& path,
                        const char* needed, auto function) {
    require_readable(what, path);
    library.err_clear_error();
    if (function(path.c_str()) == 1) return;
    throw TlsError(std::string(what) + " " + path + " cannot be used: " +
                   library.text_of(library.take_error()) + "; " + needed);
  };
  load("the TLS certificate", files.certificate, "a PEM certificate is needed",
       [&](const char* path) {
         return library.ctx_use_certificate_chain_file(context, path);
       });
  load("the TLS key", files.key,
       "the PEM key of the certificate is needed, without a password",
       [&](const char* path) {
         return library.ctx_use_private_key_file(context, path, kPem);
       });
  load("the TLS authority", files.authority, "a PEM certificate is needed",
       [&](const char* path) {
         return library.ctx_load_verify_file(context, path);
       });
  return identity;
}

Tls::Tls(Role role, std::shared_ptr<const TlsIdentity> identity)
    : identity_(std::move(identity)),
      library_(identity_->library_),
      role_(role),
      session_(library_.ssl_new(identity_->context_)),
      received_(library_.bio_new(library_.bio_s_mem())),
      to_send_(library_.bio_new(library_.bio_s_mem())) {
  if (session_ == nullptr || received_ == nullptr || to_send_ == nullptr) {
    library_.bio_free(received_);
    library_.bio_free(to_send_);
    library_.ssl_free(session_);
    throw std::bad_alloc();
  }
  library_.set_bio(session_, received_, to_send_);
  role == Role::kDialer ? library_.set_connect_state(session_)
                        : library_.set_accept_state(session_);
}

Tls::~Tls() { library_.ssl_free(session_); }

std::vector<std::byte> Tls::start() {
  std::vector<std::byte> output;
  if (role_ == Role::kDialer && !begun_) shake();
  drain(output);
  return output;
}

ChannelStep Tls::feed(ByteSpan data) {
  ChannelStep step{state_, {}, {}};
  if (!begun_ && !data.empty()) {
    begun_ = true;
    if (data[0] != kHandshakeRecord && data[0] != kAlertRecord) {
      state_ = ChannelState::kRefused;
      reason_ =
          "the peer does not speak TLS; use TLS on both sides or on neither";
    }
  }
  for_slices(data, [&](ByteSpan slice) {
    take(slice, step.plain);
    drain(step.output);
  });
  step.state = state_;
  return step;
}

std::vector<std::byte> Tls::seal(ByteSpan plain) {
  require_open();
  std::vector<std::byte> output;
  output.reserve(plain.size() + plain.size() / 256 + 64);
  for_slices(plain, [&](ByteSpan slice) {
    library_.err_clear_error();
    std::size_t written = 0;
    // Into memory, all is written at once or the channel is broken.
    if (state_ == ChannelState::kOpen &&
        library_.write_ex(session_, slice.data(), slice.size(), &written) !=
            1) {
      fail();
    }
    drain(output);
  });
  return output;
}

std::vector<std::byte> Tls::finish() {
  std::vector<std::byte> output;
  if (state_ == ChannelState::kOpen) library_.shutdown(session_);
  drain(output);
  return output;
}

void Tls::close() {
  if (state_ == ChannelState::kOpen) state_ = ChannelState::kClosed;
  if (state_ != ChannelState::kNeedMore) return;
  state_ = ChannelState::kRefused;
  reason_ = "the peer closed the connection before TLS was set up";
}

Digest Tls::channel_key() const {
  require_open();
  Digest key;
  if (library_.export_keying_material(
          session_, reinterpret_cast<unsigned char*>(key.data()), key.size(),
          kExportLabel.data(), kExportLabel.size(), nullptr, 0, 0) != 1) {
    throw TlsError("TLS gave no key of its channel: " +
                   library_.text_of(library_.take_error()));
  }
  return key;
}

void Tls::take(ByteSpan slice, std::vector<std::byte>& plain) {
  if (state_ == ChannelState::kRefused || state_ == ChannelState::kClosed)
    return;
  library_.bio_write(received_, slice.data(), static_cast<int>(slice.size()));
  if (state_ == ChannelState::kNeedMore) shake();
  if (state_ == ChannelState::kOpen) read(plain);
}

void Tls::shake() {
  library_.err_clear_error();
  const int result = library_.do_handshake(session_);
  if (result == 1) {
    state_ = ChannelState::kOpen;
  } else if (library_.get_error(session_, result) != kWantRead) {
    fail();
  }
}

void Tls::read(std::vector<std::byte>& plain) {
  std::array<std::byte, 16 << 10> record;
  std::size_t got = 0;
  library_.err_clear_error();
  int result = 1;
  while ((result = library_.read_ex(session_, record.data(), record.size(),
                                    &got)) == 1) {
    plain.insert(plain.end(), record.begin(), record.begin() + got);
  }
  const int error = library_.get_error(session_, result);
  if (error == kZeroReturn) {
    state_ = ChannelState::kClosed;
  } else if (error != kWantRead) {
    fail();
  }
}

void Tls::drain(std::vector<std::byte>& output) {
  const std::size_t pending = library_.bio_ctrl_pending(to_send_);
  if (pending == 0) return;
  const std::size_t start = output.size();
  output.resize(start + pending);
  library_.bio_read(to_send_, output.data() + start, static_cast<int>(pending));
}

void Tls::fail() {
  state_ = ChannelState::kRefused;
  const unsigned long error = library_.take_error();
  const unsigned long number = error & kReasonMask;
  if (number == kCertificateVerifyFailed) {
    reason_ = std::string(
                  "the peer was refused: its certificate is not valid for "
                  "the TLS authority of this node: ") +
              library_.x509_verify_cert_error_string(
                  library_.get_verify_result(session_));
  } else if (number >= kFirstAlert) {
    reason_ = "the peer refused this node: " + library_.text_of(error);
  } else {
    reason_ = "TLS with the peer failed: " + library_.text_of(error);
  }
}

void Tls::require_open() const {
  if (state_ == ChannelState::kOpen) return;
  throw std::logic_error("the TLS channel is not open");
}

}  // namespace eclosion
