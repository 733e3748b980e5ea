// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// Whether a field without quotes says that there is no value: it is empty, or a word that R, pandas or a database writes.
bool says_missing(std::string_view field);

/// Whether the text is what Python writes as the data of an edge: {} or {'weight': 3.5, 'kind': 'road'}.
bool is_edge_data(std::string_view text);
/// Returns the value of `key` in such data.
std::optional<std::string_view> edge_value(std::string_view data, std::string_view key);

/// The fields of a line, cut at a separator; ' ' stands for any number of blanks and tabs. Data of an edge, up to the end of
/// the line, are one field.
///
///     NameFields fields(line, ',');
///     for (NameField field; fields.next(field);) use(field.text);
struct NameField {
  std::string_view text;  ///< without its quotes; valid until the next one is read
  bool quoted = false;
  bool is_missing() const { return text.empty() && !quoted; }
};

class NameFields {
 public:
  /// `line` without its line end.
  NameFields(std::string_view line, char separator);
  /// False behind the last one. Throws LineError where a quote is not closed, or text follows one that is.
  bool next(NameField& field);
  const char* at() const { return p_; }
  /// Returns the rest after the fields that have been read, without blanks in front.
  std::string_view rest() const {
    const char* p = p_;
    while (p < end_ && is_blank(*p)) ++p;
    return {p, static_cast<std::size_t>(end_ - p)};
  }

 private:
  bool is_blank(char c) const { return c == ' ' || c == '\r' || (c == '\t' && separator_ != '\t'); }
  void take_quoted(NameField& field);

  const char *p_, *end_;
  char separator_;
  bool more_;  // a field follows, even an empty one
  std::string unescaped_;
};

/// All of them, as owned text.
std::vector<std::string> name_fields(std::string_view line, char separator);

/// The first of tab, comma, semicolon and bar that each of the lines has outside of quotes, else ' '.
char separator_of(const std::vector<std::string_view>& lines);

}  // namespace atl
