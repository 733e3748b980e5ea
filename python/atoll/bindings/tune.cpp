// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include <atoll/tune/space.hpp>
#include <atoll/tune/store.hpp>

#include "bindings.hpp"

// Parameters and points pass as JSON, which keeps the order of parameters.
namespace atl::python {

void bind_tune(nb::module_& m) {
  using namespace nb::literals;
  using tune::Space;
  nb::class_<Space>(m, "Space")
      .def_static(
          "from_json", [](const std::string& json) { return Space::from_json(nlohmann::ordered_json::parse(json)); },
          "json"_a)
      .def("to_json", [](const Space& space) { return space.to_json().dump(); })
      .def(
          "require",
          [](Space& space, std::string what, std::function<bool(std::string)> holds) {
            space.require(std::move(what),
                          [holds = std::move(holds)](const tune::Point& p) { return holds(p.to_json().dump()); });
          },
          "what"_a, "holds"_a)
      .def("__len__", &Space::size)
      .def(
          "at", [](const Space& space, std::size_t number) { return space.at(number).to_json().dump(); }, "number"_a)
      .def(
          "broken_rule",
          [](const Space& space, std::size_t number) -> std::optional<std::string> {
            const std::string* const rule = space.broken_rule(space.at(number));
            return rule ? std::optional(*rule) : std::nullopt;
          },
          "number"_a)
      .def(
          "check", [](const Space& space, const std::string& json) { space.point(nlohmann::json::parse(json)); },
          "point"_a, "Raises InputError if it is no point of the space, or breaks a rule.");
  m.def("provenance", [] { return tune::provenance().dump(); });
}

}  // namespace atl::python
