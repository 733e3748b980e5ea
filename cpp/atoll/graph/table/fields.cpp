// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/scan.hpp>

namespace atl {

bool says_missing(std::string_view field) {
  constexpr std::string_view kWords[] = {"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"};
  return std::ranges::find(kWords, field) != std::end(kWords);
}

bool is_edge_data(std::string_view text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return false;
  return text == "{}" || text.find("':") != std::string_view::npos || text.find("\":") != std::string_view::npos;
}

std::optional<std::string_view> edge_value(std::string_view data, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}", quote, key);
    std::size_t at = data.find(quoted);
    if (at == std::string_view::npos) continue;
    at = data.find_first_not_of(" \t", at + quoted.size());
    if (at == std::string_view::npos || data[at] != ':') continue;
    std::string_view value = data.substr(at + 1);
    value = value.substr(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_first_of(",}"));
    while (!value.empty() && scan::is_blank(value.back())) value.remove_suffix(1);
    // NumPy 2 shows its numbers so: np.float64(0.5).
    if (value.starts_with("np.") && value.ends_with(')')) {
      value.remove_suffix(1);
      value = value.substr(value.find('(') + 1);
    }
    return value;
  }
  return {};
}

NameFields::NameFields(std::string_view line, char separator)
    : p_(line.data()), end_(line.data() + line.size()), separator_(separator) {
  while (end_ > p_ && is_blank(end_[-1])) --end_;
  while (p_ < end_ && is_blank(*p_)) ++p_;
  more_ = p_ < end_;
}

bool NameFields::next(NameField& field) {
  if (!more_) return false;
  while (p_ < end_ && is_blank(*p_)) ++p_;
  if (p_ < end_ && *p_ == '"') {
    take_quoted(field);
  } else if (is_edge_data({p_, static_cast<std::size_t>(end_ - p_)})) {
    field = {std::string_view(p_, static_cast<std::size_t>(end_ - p_)), false};
    p_ = end_;
  } else {
    const char* const begin = p_;
    while (p_ < end_ && (separator_ == ' ' ? !is_blank(*p_) : *p_ != separator_)) ++p_;
    const char* last = p_;
    while (last > begin && is_blank(last[-1])) --last;
    field = {std::string_view(begin, static_cast<std::size_t>(last - begin)), false};
  }
  while (p_ < end_ && is_blank(*p_)) ++p_;
  more_ = p_ < end_;
  if (more_ && separator_ != ' ') ++p_;  // the separator; a field follows it, maybe an empty one
  return true;
}

void NameFields::take_quoted(NameField& field) {
  const char* const quote = p_++;
  const char* begin = p_;
  bool doubled = false;
  unescaped_.clear();
  for (;; ++p_) {
    if (p_ == end_)
      throw LineError{quote,
                      "a quote is not closed on its line (a name is on one line). Close it, or double each quote "
                      "and put the field in quotes."};
    if (*p_ != '"') continue;
    if (p_ + 1 == end_ || p_[1] != '"') break;
    doubled = true;
    unescaped_.append(begin, p_ + 1);
    begin = ++p_ + 1;
  }
  if (doubled) unescaped_.append(begin, p_);
  field = {doubled ? std::string_view(unescaped_) : std::string_view(begin, static_cast<std::size_t>(p_ - begin)),
           true};
  ++p_;
  const bool ends = p_ == end_ || is_blank(*p_) || *p_ == separator_;
  const char* behind = p_;
  while (behind < end_ && is_blank(*behind)) ++behind;
  if (!ends || (separator_ != ' ' && behind < end_ && *behind != separator_))
    throw LineError{quote,
                    "text follows a closing quote (a field is in quotes as a whole). Double each quote and put "
                    "the field in quotes."};
}

std::vector<std::string> name_fields(std::string_view line, char separator) {
  std::vector<std::string> all;
  NameFields fields(line, separator);
  for (NameField field; fields.next(field);) all.emplace_back(field.text);
  return all;
}

char separator_of(const std::vector<std::string_view>& lines) {
  // Up to the first separator a line is its first field, which quotes open at its beginning only: in 5" they are an inch.
  const auto has = [](std::string_view line, char separator) {
    std::size_t at = 0;
    while (at < line.size() && (line[at] == ' ' || (line[at] == '\t' && separator != '\t'))) ++at;
    if (at < line.size() && line[at] == '"') {
      for (++at; at < line.size() && (line[at] != '"' || line.substr(at + 1).starts_with('"')); ++at)
        if (line[at] == '"') ++at;
    }
    return line.find(separator, at) != std::string_view::npos;
  };
  for (const char separator : {'\t', ',', ';', '|'})
    if (!lines.empty() && std::all_of(lines.begin(), lines.end(), [&](auto line) { return has(line, separator); }))
      return separator;
  return ' ';
}

}  // namespace atl
