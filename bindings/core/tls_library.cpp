// Opening OpenSSL, and what its errors say.
#include "tls_library.h"

#include <memory>

namespace eclosion {
namespace {

constexpr std::uint64_t kNoExitHandler = 0x00080000;

}  // namespace

const TlsLibrary& TlsLibrary::get() {
  // Never closed: threads may use it until the process has ended.
  static const TlsLibrary* const library = [] {
    try {
      std::unique_ptr<TlsLibrary> opened(new TlsLibrary());
      if (!opened->missing_.empty()) {
        throw TlsError("TLS is not available: " + opened->ssl_.path() +
                       " lacks the function " + opened->missing_ +
                       "; install OpenSSL 3");
      }
      opened->init_ssl(kNoExitHandler, nullptr);
      return opened.release();
    } catch (const LibraryError& error) {
      throw TlsError(std::string("TLS is not available: ") + error.what() +
                     "; install OpenSSL 3");
    }
  }();
  return *library;
}

TlsLibrary::Address TlsLibrary::find(const Library& library, const char* name) {
  const Symbol symbol = library.resolve({name}).front();
  if (symbol.address == nullptr && missing_.empty()) missing_ = symbol.name;
  return {symbol.address};
}

unsigned long TlsLibrary::take_error() const {
  const unsigned long error = err_get_error();
  err_clear_error();
  return error;
}

std::string TlsLibrary::text_of(unsigned long error) const {
  const char* text = error == 0 ? nullptr : err_reason_error_string(error);
  return text != nullptr ? text : "OpenSSL's error " + std::to_string(error);
}

}  // namespace eclosion
