// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/files/text_file.hpp>
#include <atoll/graph/table/head_lines.hpp>
#include <atoll/io/scan.hpp>
#include <charconv>

namespace atl {

HeadLines::HeadLines(const std::string& path, const Head& head) : path_(&path), head_(&head) {
  next_ = mark_bytes(head.text, path);
}

bool HeadLines::next() {
  begin_ = next_;
  if (begin_ >= head_->text.size()) {
    if (!head_->whole) throw TooShort{};
    line_ = {};
    return false;
  }
  std::size_t end = head_->text.find('\n', begin_);
  if (end == std::string::npos) {
    if (!head_->whole) throw TooShort{};
    end = head_->text.size();
    next_ = end;
  } else {
    next_ = end + 1;
  }
  line_ = std::string_view(head_->text).substr(begin_, end - begin_);
  ++number_;
  return true;
}

void HeadLines::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", *path_, number_, what));
}

std::int64_t header_number(std::string_view field) {
  if (field.empty() || !std::all_of(field.begin(), field.end(), [](char c) { return scan::is_digit(c); })) return -1;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} ? value : INT64_MAX;
}

}  // namespace atl
