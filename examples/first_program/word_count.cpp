// SPDX-License-Identifier: Apache-2.0
// Counts words: each word is sent to the rank that keeps its count. word_count [FILE] [--ranks N]
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* kText =
    "an atoll is a ring of islands around a lagoon\n"
    "a reef joins the islands and a reef keeps the sea out\n"
    "where the reef is open a boat may pass from the sea to the lagoon\n";

// A record is copied as bytes, so its text has a fixed length; longer words are cut.
struct Word {
  char text[24] = {};
  explicit Word(std::string_view word) { std::memcpy(text, word.data(), std::min(word.size(), sizeof text - 1)); }
  Word() = default;
};

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::istringstream own(kText);
  std::ifstream opened;
  if (!file.empty()) {
    opened.open(file);
    if (!opened) throw atl::IoError(file + ": it cannot be opened. Give a text that every rank can read.");
  }
  std::istream& in = file.empty() ? static_cast<std::istream&>(own) : opened;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void count_words(atl::World& world, const std::vector<std::string>& arguments) {
  const std::string file = arguments.empty() ? "" : arguments[0];
  // If the file cannot be opened on one rank only, every rank throws that rank's error.
  const std::vector<std::string> lines = world.collective_try([&] { return lines_of(file); });

  std::map<std::string, long> counts;  // of the words that this rank keeps
  atl::Mailbox box(world, atl::of_records<Word>([&](const Word& word) { ++counts[word.text]; }),
                   {.handling = atl::Handling::serial, .handler_sends = false});

  long sent = 0;
  const auto ranks = static_cast<std::size_t>(world.size());
  for (auto k = static_cast<std::size_t>(world.rank()); k < lines.size(); k += ranks) {  // this rank's lines
    std::istringstream words(lines[k]);
    for (std::string word; words >> word; ++sent) {
      const Word record(word);
      const auto keeper = static_cast<atl::Rank>(std::hash<std::string_view>{}(record.text) % ranks);
      box.send(keeper, record);
    }
  }
  box.drain();  // collective: from here on every word has been counted, on every rank

  struct Most {
    Word word;
    long count = 0;
  } most;
  long counted = 0;
  for (const auto& [word, count] : counts) {  // in the order of words: of equal counts the first word stays
    counted += count;
    if (count > most.count) most = {Word(word), count};
  }
  most = world.fold(most, [](const Most& a, const Most& b) {
    if (a.count != b.count) return a.count > b.count ? a : b;
    return std::string_view(a.word.text) <= b.word.text ? a : b;
  });
  const long all = world.sum(sent), kept = world.sum(counted), different = world.sum(static_cast<long>(counts.size()));
  if (world.rank() == 0)
    std::printf("%ld words, %ld different; most often, %ld times: %s\n", all, different, most.count, most.word.text);

  // The serial answer, of which each rank compares the part that it keeps.
  std::map<std::string, long> expected;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    for (std::string word; words >> word;) ++expected[Word(word).text];
  }
  world.collective_try([&] {
    if (kept != all) throw atl::VerificationError("words were lost");
    for (const auto& [word, count] : counts)
      if (count != expected[word]) throw atl::VerificationError("the count of '" + word + "' is wrong");
  });
}

}  // namespace

int main(int argc, char** argv) { return atl::run_program(argc, argv, count_words); }
