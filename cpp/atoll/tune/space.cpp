// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/json.hpp>
#include <atoll/tune/space.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

namespace atl::tune {
namespace {

// {"from": a, "to": b, "step": s} or with "factor" as a list of numbers.
nlohmann::ordered_json stepped(const std::string& name, const nlohmann::ordered_json& j) {
  const bool grows = j.contains("factor");
  const char* const by = grows ? "factor" : "step";
  check(j.size() == 3 && j.contains("from") && j.contains("to") && j.contains(by) &&
            std::all_of(j.begin(), j.end(), [](const auto& v) { return v.is_number(); }),
        "parameter '{}' is {} (numbers from, to, and step or factor are needed). Correct it.", name, dump_json(j));
  const double from = j["from"], to = j["to"], each = j[by];
  check(from <= to && (grows ? from > 0 && each > 1 : each > 0),
        "parameter '{}' is {} (from at most to, a step above 0; a factor above 1 and from above 0). Correct it.", name,
        dump_json(j));
  constexpr double kMost = 1 << 20;
  const double count = grows ? std::log(to / from) / std::log(each) : (to - from) / each;
  check(count < kMost, "parameter '{}' is {} (more than 2^20 values). Take a larger {}.", name, dump_json(j), by);
  const bool whole = std::all_of(j.begin(), j.end(), [](const auto& v) { return v.is_number_integer(); });
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (int i = 0; i <= count + 1e-9; ++i) {
    const double value = grows ? from * std::pow(each, i) : from + each * i;
    values.push_back(whole ? nlohmann::ordered_json(std::llround(value)) : nlohmann::ordered_json(value));
  }
  return values;
}

}  // namespace

std::int64_t Point::operator[](std::string_view name) const {
  const std::size_t i = space_->index_of(name);
  return space_->parameters_[i].values[at_[i]];
}

const std::string& Point::label(std::string_view name) const {
  const std::size_t i = space_->index_of(name);
  return space_->parameters_[i].words[at_[i]];
}

nlohmann::json Point::to_json() const {
  nlohmann::json j = nlohmann::json::object();
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const Space::Parameter& p = space_->parameters_[i];
    j[p.name] = p.is_choice ? nlohmann::json(p.words[at_[i]]) : parse_json(p.words[at_[i]]);
  }
  return j;
}

std::string Point::text() const {
  std::string out;
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const Space::Parameter& p = space_->parameters_[i];
    out += fmt::format("{}{} {}", i > 0 ? ", " : "", p.name, p.words[at_[i]]);
  }
  return out;
}

Space& Space::add(Parameter p) {
  check(std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter& q) { return q.name == p.name; }),
        "parameter '{}' is in the space already. Give another name.", p.name);
  check(!p.values.empty(), "parameter '{}' has no values (one is needed). Give some.", p.name);
  check(std::set(p.words.begin(), p.words.end()).size() == p.words.size(),
        "parameter '{}' has a value twice. Leave one out.", p.name);
  parameters_.push_back(std::move(p));
  return *this;
}

Space& Space::add(std::string name, std::vector<std::string> words, bool is_choice) {
  std::vector<std::int64_t> places(words.size());
  std::iota(places.begin(), places.end(), 0);
  return add({std::move(name), std::move(places), std::move(words), is_choice});
}

Space& Space::integer(std::string name, const std::vector<std::int64_t>& values) {
  std::vector<std::string> words;
  for (const std::int64_t v : values) words.push_back(std::to_string(v));
  return add({std::move(name), values, std::move(words), false});
}

Space& Space::real(std::string name, const std::vector<double>& values) {
  std::vector<std::string> words;
  for (const double v : values) {
    check(std::isfinite(v), "parameter '{}' has the value {} (a finite number is needed). Correct it.", name, v);
    words.push_back(dump_json(nlohmann::json(v)));
  }
  return add(std::move(name), std::move(words), false);
}

Space& Space::choice(std::string name, std::vector<std::string> words) {
  return add(std::move(name), std::move(words), true);
}

Space& Space::flag(std::string name, const std::vector<bool>& values) {
  std::vector<std::string> words;
  for (const bool v : values) words.emplace_back(v ? "true" : "false");
  return add(std::move(name), std::move(words), false);
}

Space Space::from_json(const nlohmann::ordered_json& j) {
  check(j.is_object(), "a space is {} (an object of parameters is needed). Correct it.", dump_json(j));
  Space space;
  for (const auto& [name, given] : j.items()) {
    check(!name.empty(), "a parameter has no name (its values are {}). Give it one.", dump_json(given));
    const nlohmann::ordered_json values = given.is_object() ? stepped(name, given) : given;
    const auto all = [&](auto&& is) { return std::all_of(values.begin(), values.end(), is); };
    using Value = nlohmann::ordered_json;
    const bool whole = all([](const Value& v) {
      return v.is_number_integer() && (!v.is_number_unsigned() || v.get<std::uint64_t>() <= INT64_MAX);
    });
    check(values.is_array(), "parameter '{}' is {} (a list of values, or from, to and step or factor). Correct it.",
          name, dump_json(values));
    if (whole) {
      space.integer(name, values.get<std::vector<std::int64_t>>());
    } else if (all([](const Value& v) { return v.is_number(); })) {
      space.real(name, values.get<std::vector<double>>());
    } else if (all([](const Value& v) { return v.is_string(); })) {
      space.choice(name, values.get<std::vector<std::string>>());
    } else if (all([](const Value& v) { return v.is_boolean(); })) {
      space.flag(name, values.get<std::vector<bool>>());
    } else {
      throw InputError(
          fmt::format("parameter '{}' has the values {} (all numbers, all words, or true and false). Correct them.",
                      name, dump_json(values)));
    }
  }
  check(!space.parameters_.empty(), "a space has no parameters (one is needed). Name some.");
  space.size();
  return space;
}

nlohmann::ordered_json Space::to_json() const {
  nlohmann::ordered_json j = nlohmann::ordered_json::object();
  for (const Parameter& p : parameters_) {
    nlohmann::ordered_json& values = j[p.name] = nlohmann::ordered_json::array();
    for (const std::string& word : p.words)
      values.push_back(p.is_choice ? nlohmann::ordered_json(word) : parse_ordered_json(word));
  }
  return j;
}

Space& Space::require(std::string what, std::function<bool(const Point&)> holds) {
  rules_.push_back({std::move(what), std::move(holds)});
  return *this;
}

std::size_t Space::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name == name) return i;
  throw InputError(fmt::format("parameter '{}' is not in the space. Correct the name.", name));
}

std::size_t Space::size() const {
  constexpr std::size_t kMost = std::size_t{1} << 53;
  std::size_t n = 1;
  for (const Parameter& p : parameters_) {
    check(n <= kMost / p.values.size(), "the space has more than 2^53 points. Leave out parameters or values.");
    n *= p.values.size();
  }
  return n;
}

Point Space::at(std::size_t number) const {
  check(number < size(), "point {} (the space has {}). Choose a smaller number.", number, size());
  std::vector<std::size_t> at(parameters_.size());
  for (std::size_t i = at.size(); i-- > 0; number /= parameters_[i].values.size())
    at[i] = number % parameters_[i].values.size();
  return Point(*this, std::move(at));
}

const Space::Rule* Space::broken(const Point& point) const {
  const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& r) { return !r.holds(point); });
  return found == rules_.end() ? nullptr : &*found;
}

const std::string* Space::broken_rule(const Point& point) const {
  const Rule* const rule = broken(point);
  return rule ? &rule->what : nullptr;
}

void Space::for_each(const std::function<void(Point, const Rule*)>& f) const {
  const std::size_t count = size();
  for (std::size_t number = 0; number < count; ++number) {
    const Point p = at(number);
    f(p, broken(p));
  }
}

std::vector<Point> Space::points() const {
  std::vector<Point> out;
  for_each([&](Point p, const Rule* broken) {
    if (!broken) out.push_back(std::move(p));
  });
  return out;
}

std::vector<Space::Left> Space::left_out() const {
  std::vector<Left> out;
  for (const Rule& r : rules_) out.push_back({r.what, 0});
  for_each([&](const Point&, const Rule* broken) {
    if (broken) ++out[broken - rules_.data()].points;
  });
  return out;
}

Point Space::point(const nlohmann::json& j) const {
  std::vector<std::size_t> at;
  for (const Parameter& p : parameters_) {
    const auto given = j.find(p.name);
    check(given != j.end(), "a point {} has no '{}' (every parameter needs a value). Add it.", dump_json(j), p.name);
    const std::string word = given->is_string() ? given->get<std::string>() : given->dump();
    auto place = std::find(p.words.begin(), p.words.end(), word);
    if (place == p.words.end() && given->is_number_integer())  // 1 for 1.0
      place = std::find(p.words.begin(), p.words.end(), dump_json(nlohmann::json(given->get<double>())));
    check(place != p.words.end() && p.is_choice == given->is_string(),
          "a point's {} is {} (not a value of the space). Correct it.", p.name, word);
    at.push_back(static_cast<std::size_t>(place - p.words.begin()));
  }
  check(j.size() == parameters_.size(), "a point {} has a parameter too many ({} are known). Remove it.", dump_json(j),
        parameters_.size());
  const Point point(*this, std::move(at));
  const std::string* const rule = broken_rule(point);
  check(!rule, "the point {} breaks the rule: {}. Choose another.", dump_json(j), rule ? *rule : "");
  return point;
}

}  // namespace atl::tune
