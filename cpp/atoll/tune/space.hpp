// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

/// The named parameters of a tuned program and their allowed values.
///
///     Space space;
///     space.choice("tile", {"12x2", "6x4"}).integer("kc", {128, 256, 512});
///     space.require("a panel of B fits the first cache", [](const Point& p) { return p["kc"] * 128 <= 32 << 10; });
///     for (const Point& p : space.points()) ...        // p["kc"], p.label("tile")
///
/// Only the caller knows what the names mean. As JSON a space is an object of parameters in their order, each with its
/// values; steps stand for numbers, both ends included:
///
///     {"route": ["direct", "aml"], "merge": [true, false], "share": [0.5, 0.9],
///      "packets": {"from": 64, "to": 512, "step": 64}, "slot_bytes": {"from": 1024, "to": 65536, "factor": 2}}
namespace atl::tune {

class Space;

/// One value for each parameter of a space; the space must outlive it.
class Point {
 public:
  /// An integer's value, or the index among the values of another. Throws InputError for an unknown name.
  std::int64_t operator[](std::string_view name) const;
  /// The chosen word, or the number or truth as JSON has it.
  const std::string& label(std::string_view name) const;
  /// {"tile": "12x2", "kc": 256}
  nlohmann::json to_json() const;
  /// "tile 12x2, kc 256"
  std::string text() const;
  bool operator==(const Point& other) const { return space_ == other.space_ && at_ == other.at_; }

 private:
  friend class Space;
  Point(const Space& space, std::vector<std::size_t> at) : space_(&space), at_(std::move(at)) {}
  const Space* space_;
  std::vector<std::size_t> at_;  // [parameter] index of its value
};

class Space {
 public:
  /// Throws InputError if the name exists already, or there are no values, or two are equal.
  Space& integer(std::string name, const std::vector<std::int64_t>& values);
  Space& real(std::string name, const std::vector<double>& values);
  Space& choice(std::string name, std::vector<std::string> words);
  Space& flag(std::string name, const std::vector<bool>& values);
  /// Reads parameters from JSON, see above. Throws InputError, which names the parameter.
  static Space from_json(const nlohmann::ordered_json& j);
  /// The same object with all values written out. Rules are left out: they are code.
  nlohmann::ordered_json to_json() const;
  /// Excludes points for which this is false; `what` describes the rule.
  Space& require(std::string what, std::function<bool(const Point&)> holds);

  /// Number of points without the rules. Throws InputError beyond 2^53.
  std::size_t size() const;
  /// The point with this number, from 0 to size() - 1, in the order of points(), whatever the rules say.
  Point at(std::size_t number) const;
  /// The first rule that the point breaks, or nullptr.
  const std::string* broken_rule(const Point& point) const;
  /// All points that satisfy the rules; the last parameter varies fastest.
  std::vector<Point> points() const;
  /// Number of points excluded by each rule, not counting those excluded by earlier rules.
  struct Left {
    std::string rule;
    std::size_t points = 0;
  };
  std::vector<Left> left_out() const;

  /// The point with this JSON; throws InputError if it is not in this space or breaks a rule.
  Point point(const nlohmann::json& j) const;

 private:
  friend class Point;
  struct Parameter {
    std::string name;
    std::vector<std::int64_t> values;
    std::vector<std::string> words;
    bool is_choice = false;  // words are text; else they are JSON: a number, true or false
  };
  struct Rule {
    std::string what;
    std::function<bool(const Point&)> holds;
  };
  Space& add(Parameter parameter);
  Space& add(std::string name, std::vector<std::string> words, bool is_choice);
  std::size_t index_of(std::string_view name) const;
  const Rule* broken(const Point& point) const;
  // Calls f with every point and the first rule that it breaks, or nullptr.
  void for_each(const std::function<void(Point, const Rule*)>& f) const;

  std::vector<Parameter> parameters_;
  std::vector<Rule> rules_;
};

}  // namespace atl::tune
