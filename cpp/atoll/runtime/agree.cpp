// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/world.hpp>

// Agreement on errors: every rank throws the same one.
namespace atl {

ErrorKind kind_of(const std::exception& e) {
  if (dynamic_cast<const InputError*>(&e)) return ErrorKind::input;
  if (dynamic_cast<const UsageError*>(&e)) return ErrorKind::usage;
  if (dynamic_cast<const IoError*>(&e)) return ErrorKind::io;
  if (dynamic_cast<const TransportError*>(&e)) return ErrorKind::transport;
  if (dynamic_cast<const VerificationError*>(&e)) return ErrorKind::verification;
  return ErrorKind::other;
}

void World::agree_on(int kind, const std::string& message) {
  struct Vote {
    Rank rank;
    int kind;
    std::size_t length;
  };
  const Vote worst = fold(Vote{kind != 0 ? rank_ : size_, kind, message.size()},
                          [](const Vote& a, const Vote& b) { return b.rank < a.rank ? b : a; });
  if (worst.rank == size_) return;
  std::string text = message;
  text.resize(worst.length);
  broadcast(std::span<char>(text), worst.rank);
  agreed_error_ = true;
  switch (static_cast<ErrorKind>(worst.kind)) {
    case ErrorKind::input:
      throw InputError(text);
    case ErrorKind::usage:
      throw UsageError(text);
    case ErrorKind::io:
      throw IoError(text);
    case ErrorKind::transport:
      throw TransportError(text);
    case ErrorKind::verification:
      throw VerificationError(text);
    default:
      throw Error(text);
  }
}

void World::agree(bool ok, const std::string& message) {
  agree_on(ok ? 0 : static_cast<int>(ErrorKind::input), ok ? std::string() : message);
}

}  // namespace atl
