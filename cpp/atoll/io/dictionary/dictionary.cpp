// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/io/dictionary/dictionary.hpp>
#include <numeric>

namespace atl {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The fewest letters to insert, remove, change or swap with the next (optimal string alignment), capitals aside, or
// `beyond` as soon as it is at least that. `rows` is memory for three rows.
std::size_t edits(std::string_view a, std::string_view b, std::size_t beyond, std::vector<std::size_t> (&rows)[3]) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= beyond) return beyond;
  for (auto& row : rows) row.resize(b.size() + 1);
  std::iota(rows[1].begin(), rows[1].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::rotate(std::begin(rows), std::begin(rows) + 1, std::end(rows));  // now the row of i - 1 is the first
    const auto &before = rows[0], &second_before = rows[2];
    auto& row = rows[1];
    std::size_t least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({before[j - 1] + (x != y), row[j - 1] + 1, before[j] + 1});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
        row[j] = std::min(row[j], second_before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    // A swap reaches two rows back, but costs one more than what it begins from.
    if (least >= beyond && i > 1 && *std::min_element(before.begin(), before.end()) + 1 >= beyond) return beyond;
  }
  return std::min(rows[1][b.size()], beyond);
}

}  // namespace

Dictionary::Dictionary(Array<std::uint64_t> offsets, Array<char> bytes)
    : count_(static_cast<Vertex>(offsets.size()) - 1), own_offsets_(std::move(offsets)), own_bytes_(std::move(bytes)) {
  offsets_ = own_offsets_.data();
  bytes_ = own_bytes_.data();
}

Dictionary::Dictionary(MappedFile file, std::uint64_t count, std::uint64_t offsets_at)
    : count_(static_cast<Vertex>(count)), file_(std::move(file)) {
  offsets_ = reinterpret_cast<const std::uint64_t*>(file_.data() + offsets_at);
  bytes_ = reinterpret_cast<const char*>(offsets_ + count + 1);
}

Vertex Dictionary::find(std::string_view name) const {
  Vertex low = 0, high = count_;
  while (low < high) {
    const Vertex middle = low + (high - low) / 2;
    if (this->name(middle) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count_ && this->name(low) == name ? low : kNoVertex;
}

std::vector<std::string> Dictionary::nearest(std::string_view name, std::size_t most) const {
  // More than a third of the letters, or three, is another word.
  std::size_t beyond = std::clamp<std::size_t>(name.size() / 3, 1, 3) + 1;
  std::vector<std::pair<std::size_t, Vertex>> best;
  std::vector<std::size_t> rows[3];
  for (Vertex id = 0; id < count_ && most > 0; ++id) {
    const std::size_t distance = edits(name, this->name(id), beyond, rows);
    if (distance >= beyond) continue;
    best.emplace_back(distance, id);
    if (best.size() > most) {
      std::sort(best.begin(), best.end());
      best.pop_back();
      beyond = best.back().first;  // a later name has to be nearer
      if (beyond == 0) break;
    }
  }
  std::sort(best.begin(), best.end());
  std::vector<std::string> names;
  for (const auto& [distance, id] : best) names.emplace_back(this->name(id));
  return names;
}

std::string Dictionary::nearest_text(std::string_view name) const {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (const std::string& near : nearest(name, kMost)) text += (text.empty() ? "; the nearest: '" : ", '") + near + "'";
  return text;
}

std::size_t Dictionary::memory_bytes() const {
  return own_offsets_.size() * sizeof(std::uint64_t) + own_bytes_.size() + file_.bytes();
}

}  // namespace atl
