// The functions of OpenSSL 3 that tls.cpp calls, found at run time.
//
// They are declared here, so that no header of OpenSSL is needed to build, and
// a machine without it runs everything else. What each one does is in
// OpenSSL's manual pages under the name it is looked up by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "dynlib.h"

namespace eclosion {

// TLS cannot be had, or not with these files.
class TlsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Types of OpenSSL's that are never looked into.
struct SslMethod;
struct SslContext;
struct SslSession;
struct SslBio;
struct SslBioMethod;

class TlsLibrary {
 public:
  // Opens the library once per process. Throws TlsError with the reason when
  // it cannot be opened or lacks a function; a later call tries again.
  static const TlsLibrary& get();

  // Takes the oldest error of this thread, and forgets the others.
  [[nodiscard]] unsigned long take_error() const;
  [[nodiscard]] std::string text_of(unsigned long error) const;

 private:
  // Becomes a pointer to whatever function it is assigned to.
  struct Address {
    void* address;
    template <typename Function>
      requires(std::is_function_v<Function>)
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };
  using Password = int(char*, int, int, void*);

  TlsLibrary() = default;
  Address find(const Library& library, const char* name);

  Library crypto_ = Library::open({"libcrypto.so.3"});
  Library ssl_ = Library::open({"libssl.so.3"});
  std::string missing_;

 public:
  unsigned long (*err_get_error)() = find(crypto_, "ERR_get_error");
  void (*err_clear_error)() = find(crypto_, "ERR_clear_error");
  const char* (*err_reason_error_string)(unsigned long) =
      find(crypto_, "ERR_reason_error_string");
  const char* (*x509_verify_cert_error_string)(long) =
      find(crypto_, "X509_verify_cert_error_string");
  const SslBioMethod* (*bio_s_mem)() = find(crypto_, "BIO_s_mem");
  SslBio* (*bio_new)(const SslBioMethod*) = find(crypto_, "BIO_new");
  int (*bio_free)(SslBio*) = find(crypto_, "BIO_free");
  int (*bio_read)(SslBio*, void*, int) = find(crypto_, "BIO_read");
  int (*bio_write)(SslBio*, const void*, int) = find(crypto_, "BIO_write");
  std::size_t (*bio_ctrl_pending)(SslBio*) = find(crypto_, "BIO_ctrl_pending");

  int (*init_ssl)(std::uint64_t, const void*) = find(ssl_, "OPENSSL_init_ssl");
  const SslMethod* (*tls_method)() = find(ssl_, "TLS_method");
  SslContext* (*ctx_new)(const SslMethod*) = find(ssl_, "SSL_CTX_new");
  void (*ctx_free)(SslContext*) = find(ssl_, "SSL_CTX_free");
  long (*ctx_ctrl)(SslContext*, int, long, void*) = find(ssl_, "SSL_CTX_ctrl");
  int (*ctx_set_num_tickets)(SslContext*,
                             std::size_t) = find(ssl_,
                                                 "SSL_CTX_set_num_tickets");
  void (*ctx_set_verify)(SslContext*, int, void*) = find(ssl_,
                                                         "SSL_CTX_set_verify");
  void (*ctx_set_default_passwd_cb)(SslContext*, Password*) =
      find(ssl_, "SSL_CTX_set_default_passwd_cb");
  int (*ctx_use_certificate_chain_file)(SslContext*, const char*) =
      find(ssl_, "SSL_CTX_use_certificate_chain_file");
  int (*ctx_use_private_key_file)(SslContext*, const char*,
                                  int) = find(ssl_,
                                              "SSL_CTX_use_PrivateKey_file");
  int (*ctx_load_verify_file)(SslContext*,
                              const char*) = find(ssl_,
                                                  "SSL_CTX_load_verify_file");

  SslSession* (*ssl_new)(SslContext*) = find(ssl_, "SSL_new");
  void (*ssl_free)(SslSession*) = find(ssl_, "SSL_free");
  void (*set_bio)(SslSession*, SslBio*, SslBio*) = find(ssl_, "SSL_set_bio");
  void (*set_connect_state)(SslSession*) = find(ssl_, "SSL_set_connect_state");
  void (*set_accept_state)(SslSession*) = find(ssl_, "SSL_set_accept_state");
  int (*do_handshake)(SslSession*) = find(ssl_, "SSL_do_handshake");
  int (*read_ex)(SslSession*, void*, std::size_t,
                 std::size_t*) = find(ssl_, "SSL_read_ex");
  int (*write_ex)(SslSession*, const void*, std::size_t,
                  std::size_t*) = find(ssl_, "SSL_write_ex");
  int (*shutdown)(SslSession*) = find(ssl_, "SSL_shutdown");
  int (*get_error)(const SslSession*, int) = find(ssl_, "SSL_get_error");
  long (*get_verify_result)(const SslSession*) = find(ssl_,
                                                      "SSL_get_verify_result");
  int (*export_keying_material)(SslSession*, unsigned char*, std::size_t,
                                const char*, std::size_t, const unsigned char*,
                                std::size_t,
                                int) = find(ssl_, "SSL_export_keying_material");
};

}  // namespace eclosion
