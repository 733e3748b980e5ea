// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <unistd.h>

#include <atoll/base/files/atomic_file.hpp>
#include <atoll/device/communicator.hpp>
#include <atoll/device/device_plugin.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/topology/formats/xml_yaml_plugin.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <atoll/transport/shared_memory/shm.hpp>
#include <chrono>
#include <cli/slurm_step.hpp>
#include <nlohmann/json.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Plan plan_of(const std::string& json) { return Plan::from_environment(Plan::from_json(nlohmann::json::parse(json))); }

int python_level(LogLevel level) {
  switch (level) {
    case LogLevel::error:
      return 40;
    case LogLevel::warn:
      return 30;
    case LogLevel::info:
      return 20;
    case LogLevel::debug:
      return 10;
  }
  return 10;
}

// The text may quote a file, whose bytes need not be UTF-8.
void log(LogLevel level, std::string_view text) {
  nb::gil_scoped_acquire gil;
  try {
    const std::string shown = text_for_python(text);
    nb::module_::import_("logging").attr("getLogger")("atoll").attr("log")(python_level(level), "%s",
                                                                           nb::str(shown.data(), shown.size()));
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("atoll's log");
  }
}

/// An AtomicFile that Python fills by its descriptor, and discards at once where that fails: its garbage collector would
/// leave the temporary file to the end of a traceback.
class OpenAtomicFile {
 public:
  explicit OpenAtomicFile(const std::string& path) : file_(std::in_place, path) {}
  int descriptor() const { return file_.value().handle().get(); }
  void commit() { file_.value().commit(); }
  void discard() { file_.reset(); }

 private:
  std::optional<AtomicFile> file_;
};

std::shared_ptr<SharedWorld> alone(const std::string& plan) {
  const Plan p = plan_of(plan);
  return std::make_shared<SharedWorld>([&](World::Options options) { return World::alone(p, std::move(options)); });
}

std::shared_ptr<SharedWorld> join(const std::string& plan) {
  const Plan p = plan_of(plan);
  nb::gil_scoped_release free;
  return std::make_shared<SharedWorld>([&](World::Options options) { return join_world(p, std::move(options)); });
}

std::shared_ptr<SharedWorld> join_communicator(const std::string& plan, std::uintptr_t address,
                                               const std::string& library_version) {
  const Plan p = plan_of(plan);
  const Communicator communicator{reinterpret_cast<const void*>(address), library_version};
  nb::gil_scoped_release free;
  return std::make_shared<SharedWorld>(
      [&](World::Options options) { return join_world(p, std::move(options), communicator); });
}

std::vector<std::shared_ptr<SharedWorld>> ranks_in_process(Rank ranks, const std::string& plan) {
  Plan p = plan_of(plan);
  check(ranks >= 1, "ranks is {} (at least 1). Correct it.", ranks);
  Hierarchy hierarchy = p.domains.empty() ? Hierarchy::flat(ranks) : Hierarchy::parse(p.domains);
  check(hierarchy.size() == ranks, "domains '{}' make {} ranks (there are {}). Correct one of them.", p.domains,
        hierarchy.size(), ranks);
  if (const std::vector<Rank> order = rank_order(p, ranks); !order.empty()) hierarchy = hierarchy.of_places(order);
  if (p.threads == 0) p.threads = std::max(1, usable_cores() / ranks);
  std::vector<int> nodes;
  for (Rank r = 0; r < ranks; ++r) nodes.push_back(hierarchy.leaf_of(r));
  auto fabrics = make_inproc({.ranks = ranks,
                              .slot_bytes = p.slot_bytes_for(ranks),
                              .slots_per_peer = p.slots_per_peer,
                              .shuffle_seed = p.shuffle_seed,
                              .nodes = nodes});
  const auto peers = std::make_shared<Peers>();
  std::vector<std::shared_ptr<SharedWorld>> worlds;
  for (auto& fabric : fabrics)
    worlds.push_back(std::make_shared<SharedWorld>(
        [&](World::Options options) {
          return std::make_unique<World>(std::move(fabric), p, hierarchy, std::move(options));
        },
        peers));
  return worlds;
}

// The outcome that one rank brings to an agreement, besides its text.
struct Vote {
  int kind;               // of the error; 0: none
  std::uint64_t options;  // hash of what all ranks must have been called with
  std::uint64_t lengths[2];
};

// (kind, text) of the lowest rank with an error; kind -1: two ranks were called with different options.
std::optional<std::pair<int, std::string>> first_error(World& world, int kind, const std::string& message,
                                                       const std::string& options) {
  const Vote mine{kind, std::hash<std::string>()(options), {message.size(), options.size()}};
  const std::vector<Vote> votes = world.all_gather(mine);
  auto text_of = [&](std::size_t rank, int which) {
    std::string text = which == 0 ? message : options;
    text.resize(votes[rank].lengths[which]);
    world.broadcast(std::span<char>(text), static_cast<Rank>(rank));
    return text;
  };
  for (std::size_t r = 0; r < votes.size(); ++r)
    if (votes[r].kind != 0) return std::pair(votes[r].kind, text_of(r, 0));
  for (std::size_t r = 1; r < votes.size(); ++r)
    if (votes[r].options != votes[0].options) {
      const std::string first = text_of(0, 1), other = text_of(r, 1);
      return std::pair(
          -1, fmt::format("rank {} calls {} (rank 0 calls {}). Call it with the same on every rank.", r, other, first));
    }
  return std::nullopt;
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The bytes of all ranks, in rank order. Collective.
Numpy<std::uint8_t> all_gather(const std::shared_ptr<SharedWorld>& shared, const Bytes& mine) {
  Array<std::uint8_t> all;
  shared->call([&](World& world) {
    const std::vector<std::uint8_t> found = world.all_gather_varying(std::span(mine.data(), mine.size()));
    all = Array<std::uint8_t>(found.size());
    std::copy(found.begin(), found.end(), all.begin());
  });
  return to_numpy(std::move(all));
}

}  // namespace

SharedWorld::SharedWorld(const Make& make, std::shared_ptr<Peers> peers) : peers_(std::move(peers)), pid_(getpid()) {
  World::Options options;
  options.log = Log(
      [this](LogLevel level, std::string_view text) {
        if (world_ && world_->rank() == 0) log(level, text);
      },
      LogLevel::debug);
  // Called by a thread that knows nothing of Python, whatever holds the GIL meanwhile: past `logging`, to stderr.
  options.alarm =
      Log([](LogLevel level, std::string_view text) { fmt::print(stderr, "atoll: {}: {}\n", name_of(level), text); },
          LogLevel::warn);
  options.lost_peer = [this] { return why_stop(); };
  world_ = make(std::move(options));
}

SharedWorld::~SharedWorld() {
  if (getpid() == pid_) return;
  // After a fork the team's threads do not exist here: nothing can be joined.
  static_cast<void>(world_.release());
  for (auto& form : dead_) static_cast<void>(new std::shared_ptr<void>(std::move(form)));  // for ever
}

void SharedWorld::enter() {
  if (getpid() != pid_)
    throw UsageError(
        "this World was made before a fork (its threads and channels are the parent's). Make the graph in "
        "this process, or start processes by 'spawn'.");
  if (closed_) throw UsageError("this World is closed (its ranks have left). Make graphs and results before.");
  if (!broken_.empty()) throw TransportError("this World is broken since an earlier error: " + broken_);
  std::vector<std::shared_ptr<void>> dead;
  {
    std::lock_guard hold(graves_);
    dead.swap(dead_);
  }
  // A rank that leaves its work would leave others waiting for it: of several ranks only waits end early.
  if (world_->size() == 1)
    world_->team().ask_to_go_on([this] {
      if (auto error = raised()) throw Interrupted{std::move(error)};
    });
}

// Handlers run in the main thread alone: another would wait for the GIL in vain.
std::exception_ptr SharedWorld::raised() {
  if (gettid() != getpid()) return nullptr;
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() == 0 ? nullptr : std::make_exception_ptr(nb::python_error());
}

void SharedWorld::lock() {
  while (!mutex_.try_lock_for(std::chrono::milliseconds(Team::kAskEveryMs)))
    if (const auto error = raised()) std::rethrow_exception(error);
}

std::optional<std::string> SharedWorld::why_stop() {
  if (const double limit = deadline_.load(); limit > 0 && now() > limit)
    return "the other ranks have not come to their end in time";
  if (peers_)
    if (const Rank failed = peers_->failed.load(); failed >= 0 && failed != world_->rank())
      return fmt::format("rank {} stopped with an error", failed);
  auto error = raised();
  if (!error) return std::nullopt;
  interrupt_ = std::move(error);  // the main thread alone writes it
  return "interrupted by a signal";
}

void SharedWorld::give_up() {
  Rank none = -1;
  if (peers_) peers_->failed.compare_exchange_strong(none, world_->rank());
}

void SharedWorld::bury(std::shared_ptr<void> form) {
  std::lock_guard hold(graves_);
  dead_.push_back(std::move(form));
}

void SharedWorld::close(std::optional<double> seconds) {
  if (closed_ || getpid() != pid_) return;
  if (seconds) deadline_ = now() + *seconds;
  call([](World& world) { world.close(); });
  closed_ = true;
}

void bind_runtime(nb::module_& m) {
  using namespace nb::literals;

  nb::class_<SharedWorld>(
      m, "World", nb::is_weak_referenceable(),
      "The ranks of a job, seen from one of them. run_ranks() hands them out; else they are made and "
      "shared behind comm=.")
      .def_prop_ro("rank", [](const SharedWorld& w) { return w.world().rank(); })
      .def_prop_ro("size", [](const SharedWorld& w) { return w.world().size(); })
      .def_prop_ro("closed", &SharedWorld::closed)
      .def_prop_ro("threads", [](const SharedWorld& w) { return const_cast<World&>(w.world()).team().size(); })
      .def_prop_ro("_plan", [](const SharedWorld& w) { return w.world().plan().to_json().dump(); })
      .def("_counters",
           [](const SharedWorld& w) {
             std::vector<std::string> kinds;
             for (int level = 0; level < w.world().hierarchy().depth(); ++level)
               kinds.emplace_back(w.world().hierarchy().kind_at(level));
             return w.world().counters().to_json(kinds).dump();
           })
      .def(
          "barrier", [](SharedWorld& w) { w.call([](World& world) { world.barrier(); }); }, "Collective.")
      .def(
          "close", [](SharedWorld& w) { w.close(std::nullopt); },
          "Collective; the last call. The garbage collector never does it.")
      .def("_close_within", &SharedWorld::close, "seconds"_a.none())
      .def("_give_up", &SharedWorld::give_up)
      .def(
          "_first_error",
          [](SharedWorld& w, int kind, const std::string& message, const std::string& options) {
            return w.call([&](World& world) { return first_error(world, kind, message, options); });
          },
          "kind"_a, "message"_a, "options"_a)
      .def("__repr__", [](const SharedWorld& w) {
        return fmt::format("<atoll.World: rank {} of {}>", w.world().rank(), w.world().size());
      });

  nb::class_<OpenAtomicFile>(m, "AtomicFile")
      .def(nb::init<const std::string&>(), "path"_a)
      .def_prop_ro("descriptor", &OpenAtomicFile::descriptor)
      .def("commit", &OpenAtomicFile::commit, nb::call_guard<nb::gil_scoped_release>())
      .def("discard", &OpenAtomicFile::discard);
  m.def("write_file", &write_file, "path"_a, "text"_a, nb::call_guard<nb::gil_scoped_release>());

  m.def("all_gather", &all_gather, "world"_a, "mine"_a.noconvert());
  m.def("alone", &alone, "plan"_a);
  m.def("join", &join, "plan"_a);
  m.def("join_communicator", &join_communicator, "plan"_a, "address"_a, "library_version"_a);
  m.def("ranks_in_process", &ranks_in_process, "ranks"_a, "plan"_a);
  m.def("finish_mpi", [] {
    nb::gil_scoped_release free;
    finish_mpi();
  });
  m.def(
      "plan", [](const std::string& json) { return plan_of(json).to_json().dump(); }, "plan"_a,
      "The fields, with defaults and environment.");
  m.def("unknown_environment", &unknown_environment);
  m.def("launcher", []() -> std::optional<std::tuple<std::string, Rank>> {
    if (const auto by = launcher()) return std::tuple(by->name, by->ranks);
    return std::nullopt;
  });
  m.def("check_step_has_pmi", &cli::check_step_has_pmi);
  m.def("note_of_one_rank", &cli::note_of_one_rank, "other_way"_a);
  m.def("machine", [] { return host_facts().to_json().dump(); });
  m.def("fabrics", [] {
    nlohmann::json all = nlohmann::json::array();
    const ShmStatus shm = shm_status();
    all.push_back({{"name", "shm"}, {"path", ""}, {"ready", shm.ready}, {"detail", shm.detail}});
    for (const PluginStatus& p : plugins())
      all.push_back({{"name", p.name}, {"path", p.path}, {"ready", p.loads}, {"detail", p.detail}});
    return all.dump();
  });
  m.def("devices", [] {
    nlohmann::json all = nlohmann::json::array();
    for (const PluginStatus& p : {device_plugin_status(), communicator_plugin_status()})
      all.push_back({{"name", p.name}, {"path", p.path}, {"ready", p.loads}, {"detail", p.detail}});
    return all.dump();
  });
  m.def("readers", [] {
    const PluginStatus p = xml_yaml_plugin_status();
    return nlohmann::json{{{"name", p.name}, {"path", p.path}, {"ready", p.loads}, {"detail", p.detail}}}.dump();
  });
}

}  // namespace atl::python
