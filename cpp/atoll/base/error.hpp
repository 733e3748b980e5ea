// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

/// Errors. A message says "<what, with the value> (<why it is wrong>). <What to do>", and starts with
/// "file:line: " where it comes from a file.
///
///     check(scale <= 40, "scale is {} (at most 40 fits 48-bit ids). Use a smaller scale.", scale);
///
/// The library throws and never prints or exits; the command maps each class to an exit code in one place.
/// A rank must not throw past a collective that others enter: validate, then World::agree.
namespace atl {

/// Root of all that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command line or an option is wrong: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// An input is wrong or missing: exit code 3.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The machine refused a file: it cannot be opened, read or written (a full disk): exit code 3.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Ranks could not talk: a lost peer, a launcher of another MPI: exit code 1.
class TransportError : public Error {
 public:
  using Error::Error;
};

/// An answer did not pass its check: exit code 1.
class VerificationError : public Error {
 public:
  using Error::Error;
};

/// Throws InputError. Apart from check(), so that its callers stay small.
[[noreturn, gnu::cold]] void throw_input_error(fmt::string_view text, fmt::format_args arguments);

/// Throws InputError with the formatted text unless `ok`.
template <class... Args>
void check(bool ok, fmt::format_string<Args...> text, Args&&... args) {
  if (!ok) [[unlikely]]
    throw_input_error(text, fmt::make_format_args(args...));
}

}  // namespace atl

/// Our own mistakes, found in debug and sanitizer builds only.
#if defined(ATOLL_DEBUG)
#include <cassert>
#define ATOLL_ASSERT(cond) assert(cond)
#else
#define ATOLL_ASSERT(cond) static_cast<void>(sizeof(!(cond)))
#endif
