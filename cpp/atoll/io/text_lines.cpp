// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/io/text_lines.hpp>

namespace atl {

// Reads on; false at the end.
bool TextLines::more() {
  constexpr std::size_t kPart = std::size_t{64} << 10;
  if (ended_) return false;
  text_.erase(0, at_);
  at_ = 0;
  const std::size_t have = text_.size();
  check(have <= kLongestLine, "{}:{}: the line is longer than {} bytes (is this a text of lines?). Check the file.",
        name_, number_ + 1, kLongestLine);
  text_.resize(have + kPart);
  std::size_t n = 0;
  try {
    n = read_(text_.data() + have, kPart);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}:{}: {}", name_, number_ + 1, e.what()));
  }
  text_.resize(have + n);
  ended_ = n == 0;
  return !ended_;
}

bool TextLines::next() {
  if (!began_) {
    while (text_.size() < 4 && more()) {
    }
    at_ = mark_bytes(text_, name_);
    began_ = true;
  }
  std::size_t end = 0;
  for (std::size_t looked = 0;;) {
    end = text_.find_first_of("\r\n", at_ + looked);
    // Behind \r the next byte says whether both are one end.
    if (end != std::string::npos && (text_[end] == '\n' || end + 1 < text_.size())) break;
    looked = std::min(end, text_.size()) - at_;
    if (!more()) {
      end = text_.find_first_of("\r\n", at_ + looked);
      break;
    }
  }
  if (at_ == text_.size()) return false;
  line_ = std::string_view(text_).substr(at_, end == std::string::npos ? end : end - at_);
  ++number_;
  const bool two = end != std::string::npos && text_[end] == '\r' && end + 1 < text_.size() && text_[end + 1] == '\n';
  at_ = end == std::string::npos ? text_.size() : end + 1 + two;
  return true;
}

}  // namespace atl
