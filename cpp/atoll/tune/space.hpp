// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

/// The values that a tuned program may choose among, by name.
///
///     Space space;
///     space.choice("tile", {"12x2", "6x4"}).integer("kc", {128, 256, 512});
///     space.require("a panel of B fits the first cache", [](const Point& p) { return p["kc"] * 128 <= 32 << 10; });
///     for (const Point& p : space.points()) ...        // p["kc"], p.label("tile")
///
/// What the names mean only the caller knows.
namespace atl::tune {

class Space;

/// One value for each parameter of a space, which outlives it.
class Point {
 public:
  /// The integer's value; of a choice its place in the list. Throws InputError for a name that the space lacks.
  std::int64_t operator[](std::string_view name) const;
  /// The chosen word; of an integer its digits.
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
  std::vector<std::size_t> at_;  // of each parameter, which of its values
};

class Space {
 public:
  /// Throws InputError if the name is there already, or there are no values, or two are the same.
  Space& integer(std::string name, const std::vector<std::int64_t>& values);
  Space& choice(std::string name, std::vector<std::string> words);
  /// Points for which this is false are left out; `what` says the rule to people.
  Space& require(std::string what, std::function<bool(const Point&)> holds);

  /// How many points there are without the rules.
  std::size_t size() const;
  /// All points that keep all rules, the last parameter changing fastest.
  std::vector<Point> points() const;
  /// How many points the rules leave out: of each, those that no earlier rule left out.
  struct Left {
    std::string rule;
    std::size_t points = 0;
  };
  std::vector<Left> left_out() const;

  /// The point that was written so; throws InputError if it is none of this space, or breaks a rule.
  Point point(const nlohmann::json& j) const;

 private:
  friend class Point;
  struct Parameter {
    std::string name;
    std::vector<std::int64_t> values;
    std::vector<std::string> words;
    bool is_choice = false;
  };
  struct Rule {
    std::string what;
    std::function<bool(const Point&)> holds;
  };
  void add(Parameter parameter);
  std::size_t index_of(std::string_view name) const;
  // Calls f with every point and the first rule that it breaks, or nullptr.
  void for_each(const std::function<void(Point, const Rule*)>& f) const;

  std::vector<Parameter> parameters_;
  std::vector<Rule> rules_;
};

}  // namespace atl::tune
