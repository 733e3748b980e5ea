// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/table/headings.hpp>
#include <cctype>

namespace atl::table {
namespace {

constexpr EndNames kEnds[] = {
    {"source", "target", true},
    {"src", "dst", true},
    {"src", "dest", true},
    {"src", "target", true},
    {"src", "trg", true},
    {"src", "tgt", true},
    {"source", "dest", true},
    {"source", "destination", true},
    {"source", "sink", true},
    {"from", "to", true},
    {"fromnode", "tonode", true},
    {"fromnodeid", "tonodeid", true},
    {"fromid", "toid", true},
    {"fromvertex", "tovertex", true},
    {"idfrom", "idto", true},
    {"nodefrom", "nodeto", true},
    {"sourceid", "targetid", true},
    {"sourceid", "destid", true},
    {"sourceid", "destinationid", true},
    {"srcid", "dstid", true},
    {"srcid", "destid", true},
    {"idsource", "idtarget", true},
    {"sourcenode", "targetnode", true},
    {"sourcevertex", "targetvertex", true},
    {"sourcename", "targetname", true},
    {"startid", "endid", true},
    {"startnode", "endnode", true},
    {"startnodeid", "endnodeid", true},
    {"subject", "object", true},
    {"subjectid", "objectid", true},
    {"subjectcui", "objectcui", true},
    {"subj", "obj", true},
    {"citing", "cited", true},
    {"citingid", "citedid", true},
    {"citingpaper", "citedpaper", true},
    {"citingpaperid", "citedpaperid", true},
    {"citingpmid", "citedpmid", true},
    {"citingdoi", "citeddoi", true},
    {"follower", "followee", true},
    {"follower", "followed", true},
    {"followerid", "followeeid", true},
    {"sender", "receiver", true},
    {"sender", "recipient", true},
    {"caller", "callee", true},
    {"rater", "ratee", true},
    {"origin", "destination", true},
    {"origin", "dest", true},
    {"orig", "dest", true},
    {"parent", "child", true},
    {"regulator", "target", true},
    {"headid", "tailid", false},
    {"head", "tail", false},
    {"tail", "head", false},
    {"start", "end", false},
    {"u", "v", false},
    {"i", "j", false},
    {"a", "b", false},
    {"row", "col", false},
    {"row", "column", false},
    {"rowid", "columnid", false},
};

constexpr std::string_view kWeights[] = {"weight", "weights", "w",        "wt",   "wgt",    "value",
                                         "val",    "cost",    "distance", "dist", "length", "len"};

constexpr std::string_view kIndexes[] = {"",        "index",    "idx", "id",     "row",      "rowid", "rownumber",
                                         "rowname", "rownames", "no",  "nr",     "number",   "line",  "edgeid",
                                         "eid",     "edge",     "key", "level0", "recordid", "serial"};

constexpr std::string_view kRelations[] = {"relation",        "relationship", "rel",      "predicate", "predicateid",
                                           "relationtype",    "edgetype",     "linktype", "property",  "interaction",
                                           "interactiontype", "edgelabel"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&known)[N]) {
  return std::ranges::find(known, word) != std::end(known);
}

// "gene1" and "gene2", "InteractorA" and "InteractorB": one word, numbered or lettered.
bool are_numbered(std::string_view first, std::string_view second) {
  if (first.size() != second.size() || first.size() < 2) return false;
  const std::string_view stem = first.substr(0, first.size() - 1);
  if (stem != second.substr(0, second.size() - 1)) return false;
  const char a = first.back(), b = second.back();
  return (a == '1' && b == '2') || (a == 'a' && b == 'b' && stem.size() > 2);
}

// Whether two headings differ only in a role before or behind one stem: "source gene" and "target gene".
bool of_one_stem(std::string_view first, std::string_view second) {
  for (const auto& [from, to] : {std::pair<std::string_view, std::string_view>{"source", "target"},
                                 {"from", "to"},
                                 {"src", "dst"},
                                 {"citing", "cited"},
                                 {"subject", "object"}}) {
    if (first.starts_with(from) && second.starts_with(to) && first.substr(from.size()) == second.substr(to.size()))
      return true;
    if (first.ends_with(from) && second.ends_with(to) && first.size() > from.size() &&
        first.substr(0, first.size() - from.size()) == second.substr(0, second.size() - to.size()))
      return true;
  }
  return false;
}

std::optional<Pair::Certainty> certainty(std::string_view source, std::string_view target) {
  for (const EndNames& names : kEnds)
    if (names.source == source && names.target == target) return names.certain ? Pair::certain : Pair::ambiguous;
  if (of_one_stem(source, target)) return Pair::of_a_stem;
  if (are_numbered(source, target)) return Pair::numbered;
  return {};
}

}  // namespace

std::string plain_word(std::string_view heading) {
  std::string word;
  for (const char c : heading)
    if (static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::span<const EndNames> end_names() { return kEnds; }
std::span<const std::string_view> weight_names() { return kWeights; }
std::span<const std::string_view> index_names() { return kIndexes; }
std::span<const std::string_view> relation_names() { return kRelations; }

bool is_weight(std::string_view heading) { return is_one_of(plain_word(heading), kWeights); }

bool is_index(std::string_view heading) {
  std::string word = plain_word(heading);
  if (word.starts_with("unnamed")) return true;  // "Unnamed: 0", as pandas reads a column without a heading
  return is_one_of(word, kIndexes);
}

bool is_relation(std::string_view heading) { return is_one_of(plain_word(heading), kRelations); }

bool is_end(std::string_view heading) {
  const std::string word = plain_word(heading);
  for (const EndNames& names : kEnds)
    if (names.certain && (names.source == word || names.target == word)) return true;
  return false;
}

std::vector<Pair> pairs_in(std::span<const std::string> headings) {
  std::vector<std::string> words;
  for (const std::string& heading : headings) words.push_back(plain_word(heading));
  std::vector<Pair> pairs;
  Pair::Certainty most = Pair::numbered;
  for (std::size_t s = 0; s < words.size(); ++s)
    for (std::size_t t = 0; t < words.size(); ++t) {
      const auto found = s == t ? std::nullopt : certainty(words[s], words[t]);
      if (!found) continue;
      pairs.push_back({s, t, *found});
      most = std::max(most, *found);
    }
  std::erase_if(pairs, [&](const Pair& pair) { return pair.certainty < most; });
  return pairs;
}

}  // namespace atl::table
