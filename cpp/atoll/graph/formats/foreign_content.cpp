// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/foreign_content.hpp>
#include <cctype>
#include <string>
#include <utility>

namespace atl {
namespace {

constexpr std::size_t kSeenBytes = 4096;
constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

// PAR1 is a gene, too: in Parquet, a field of Thrift follows, which begins with a byte that no text has.
bool is_parquet(std::string_view text) {
  return text.starts_with("PAR1") && text.size() > 4 && text[4] >= 0 && text[4] < ' ' &&
         kBlanks.find(text[4]) == std::string_view::npos;
}

std::string_view packed_or_binary(std::string_view text) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> kMagics[] = {
      {"ARROW1\0"sv, "a table of Arrow (Feather)"},
      {"\x89HDF\r\n\x1a\n", "a file of HDF5"},
      {"\x93NUMPY", "an array of NumPy"},
      {"PK\x03\x04", "a zip archive (also .npz and .xlsx are)"},
      {"SQLite format 3\0"sv, "a database of SQLite"},
      {"\xd0\xcf\x11\xe0", "a workbook of Excel"},
      {"%PDF-", "a PDF"},
      {"\x1f\x8b", "packed by gzip (its name ends otherwise than in .gz)"},
      {"\x28\xb5\x2f\xfd", "packed by zstd (its name ends otherwise than in .zst)"},
      {"\xfd\x37zXZ", "packed by xz"},
  };
  for (const auto& [magic, what] : kMagics)
    if (text.starts_with(magic)) return what;
  if (is_parquet(text)) return "a table of Parquet";
  if (text.starts_with("BZh") && text.substr(std::min<std::size_t>(4, text.size())).starts_with("1AY&SY"))
    return "packed by bzip2";
  if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) return "a pickle of Python";
  return {};
}

// A name may begin with <, as those of RDF do: of XML, the declaration or the end of an element is seen.
std::string_view markup(std::string_view text) {
  std::string lower(text);  // HTML may be in capitals
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto has = [&](std::string_view tag) { return lower.find(tag) != std::string::npos; };
  if (has("<graphml")) return "GraphML";
  if (has("<gexf")) return "GEXF";
  if (has("<html") || lower.starts_with("<!doctype html")) return "a page of HTML (a download that failed?)";
  for (const std::string_view begin : {"<?xml", "<!--", "<!doctype"})
    if (lower.starts_with(begin)) return "XML";
  return has("</") ? "XML" : "";
}

// GML and Pajek, behind their comments.
std::string_view by_first_word(std::string_view text) {
  while (!text.empty() && (text[0] == '%' || text[0] == '#')) {
    text.remove_prefix(std::min(text.find_first_of("\r\n"), text.size()));
    text = without_blanks(text);
  }
  std::string lower(text.substr(0, 256));
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string_view word = lower;
  if (word.starts_with("graph") && without_blanks(word.substr(5)).starts_with('[')) return "GML";
  if (word.starts_with("creator \"")) return "GML";
  for (const std::string_view section : {"*vertices", "*network", "*arcs", "*edges", "*matrix"})
    if (word.starts_with(section)) return "a net of Pajek";
  return {};
}

bool is_json(std::string_view text) {
  const std::string_view inside = without_blanks(text.substr(1));
  return !inside.empty() && std::string_view(text[0] == '{' ? "\"}" : "{[\"").find(inside[0]) != std::string_view::npos;
}

}  // namespace

std::string_view foreign_content(std::string_view text) {
  text = text.substr(0, kSeenBytes);
  if (const std::string_view what = packed_or_binary(text); !what.empty()) return what;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text = without_blanks(text);
  if (text.starts_with('<')) return markup(text);
  if (text.starts_with('{') || text.starts_with('[')) return is_json(text) ? "JSON" : "";
  if (const std::string_view what = by_first_word(text); !what.empty()) return what;
  for (const std::string_view begin : {"digraph ", "graph {", "strict graph ", "strict digraph "})
    if (text.starts_with(begin) && text.find('{') != std::string_view::npos) return "DOT of Graphviz";
  return {};
}

}  // namespace atl
