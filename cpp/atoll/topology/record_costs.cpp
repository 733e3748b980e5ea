// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/json.hpp>
#include <atoll/topology/record_costs.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace atl {
namespace {

struct RecordCostField {
  const char* name;
  double RecordCosts::*value;
};
constexpr RecordCostField kRecordCostFields[] = {{"copied_byte_s", &RecordCosts::copied_byte_s},
                                                 {"appended_record_s", &RecordCosts::appended_record_s},
                                                 {"merged_record_s", &RecordCosts::merged_record_s},
                                                 {"handled_record_s", &RecordCosts::handled_record_s}};

}  // namespace

nlohmann::json RecordCosts::to_json() const {
  nlohmann::json j;
  for (const RecordCostField& f : kRecordCostFields) j[f.name] = this->*f.value;
  return j;
}

RecordCosts RecordCosts::from_json(const nlohmann::json& j) {
  constexpr const char* kNames = "copied_byte_s, appended_record_s, merged_record_s and handled_record_s";
  check(j.is_object(), "platform: records is {} (an object with some of {}). Correct it.", dump_json(j), kNames);
  RecordCosts costs;
  std::size_t known = 0;
  for (const RecordCostField& f : kRecordCostFields) {
    if (!j.contains(f.name)) continue;
    ++known;
    const nlohmann::json& value = j.at(f.name);
    // One second for a byte or a record is a unit taken for another.
    check(value.is_number() && value.get<double>() >= 0 && value.get<double>() < 1,
          "platform: records has a {} of {} (a number of seconds from 0 to less than 1). Correct it.", f.name,
          dump_json(value));
    costs.*f.value = value.get<double>();
  }
  if (known < j.size()) {
    const nlohmann::json all = costs.to_json();
    for (const auto& [name, value] : j.items())
      check(all.contains(name), "platform: records has '{}' (there are {}). Remove it.", name, kNames);
  }
  return costs;
}

}  // namespace atl
