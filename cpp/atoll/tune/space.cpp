// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/tune/space.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace atl::tune {

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
    if (p.is_choice) {
      j[p.name] = p.words[at_[i]];
    } else {
      j[p.name] = p.values[at_[i]];
    }
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

void Space::add(Parameter p) {
  check(std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter& q) { return q.name == p.name; }),
        "parameter '{}' is in the space already. Give another name.", p.name);
  check(!p.values.empty(), "parameter '{}' has no values (one is needed). Give some.", p.name);
  check(std::set(p.words.begin(), p.words.end()).size() == p.words.size(),
        "parameter '{}' has a value twice. Leave one out.", p.name);
  parameters_.push_back(std::move(p));
}

Space& Space::integer(std::string name, const std::vector<std::int64_t>& values) {
  std::vector<std::string> words;
  for (const std::int64_t v : values) words.push_back(std::to_string(v));
  add({std::move(name), values, std::move(words), false});
  return *this;
}

Space& Space::choice(std::string name, std::vector<std::string> words) {
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) places.push_back(static_cast<std::int64_t>(i));
  add({std::move(name), std::move(places), std::move(words), true});
  return *this;
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
  std::size_t n = 1;
  for (const Parameter& p : parameters_) n *= p.values.size();
  return n;
}

void Space::for_each(const std::function<void(Point, const Rule*)>& f) const {
  std::vector<std::size_t> at(parameters_.size(), 0);
  for (std::size_t count = size(); count > 0; --count) {
    const Point p(*this, at);
    const auto broken = std::find_if(rules_.begin(), rules_.end(), [&](const Rule& r) { return !r.holds(p); });
    f(p, broken == rules_.end() ? nullptr : &*broken);
    for (std::size_t i = at.size(); i-- > 0;) {
      if (++at[i] < parameters_[i].values.size()) break;
      at[i] = 0;
    }
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
    if (broken) ++out[static_cast<std::size_t>(broken - rules_.data())].points;
  });
  return out;
}

Point Space::point(const nlohmann::json& j) const {
  std::vector<std::size_t> at;
  for (const Parameter& p : parameters_) {
    const auto given = j.find(p.name);
    check(given != j.end(), "a point {} has no '{}' (every parameter needs a value). Add it.", j.dump(), p.name);
    const std::string word = given->is_string() ? given->get<std::string>() : given->dump();
    const auto place = std::find(p.words.begin(), p.words.end(), word);
    check(place != p.words.end(), "a point's {} is {} (not a value of the space). Correct it.", p.name, word);
    at.push_back(static_cast<std::size_t>(place - p.words.begin()));
  }
  check(j.size() == parameters_.size(), "a point {} has a parameter too many ({} are known). Remove it.", j.dump(),
        parameters_.size());
  const Point point(*this, std::move(at));
  for (const Rule& r : rules_)
    check(r.holds(point), "the point {} breaks the rule: {}. Choose another.", j.dump(), r.what);
  return point;
}

}  // namespace atl::tune
