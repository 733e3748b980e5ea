// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atoll/algorithms/neighbor_sampling/importance_sampler.hpp>
#include <atoll/algorithms/neighbor_sampling/neighbor_sampler.hpp>
#include <atoll/algorithms/point_to_point/path_search.hpp>
#include <atoll/algorithms/random_walks/random_walks.hpp>
#include <atoll/algorithms/similarity/pair_similarity.hpp>
#include <atoll/algorithms/similarity/similarity_search.hpp>
#include <atoll/apsp/queries/pair_paths.hpp>
#include <atoll/base/progress.hpp>
#include <atoll/catalog/algorithm.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/runtime/world.hpp>
#include <mutex>
#include <thread>

/// Types and functions that the bindings share. Python's side (python/atoll/*.py) checks arguments, has the defaults
/// and the docstrings; here values are converted and the GIL is released.
namespace atl::python {

namespace nb = nanobind;

/// Returns a text of the library as Python shows it, in UTF-8. Where a remedy names the command's option and Python's
/// argument ("--names, names=True in Python"), only the argument is kept ("names=True").
std::string text_for_python(std::string_view text);

/// How one failing rank among threads of this process is known to the others.
struct Peers {
  std::atomic<Rank> failed{-1};
};

/// Leaves the work of a World of one rank when a signal handler of Python has raised. No std::exception: nothing may
/// take it for an error of the work, and tell it in other words.
struct Interrupted {
  std::exception_ptr raised;
};

/// A World as Python holds it: used by one thread at a time, interruptible, and never closed by the garbage
/// collector.
///
///     world->call([&](World& w) { return w.sum(1); });     // collective; without the GIL
class SharedWorld {
 public:
  using Make = std::function<std::unique_ptr<World>(World::Options)>;
  explicit SharedWorld(const Make& make, std::shared_ptr<Peers> peers = nullptr);
  ~SharedWorld();
  SharedWorld(const SharedWorld&) = delete;
  SharedWorld& operator=(const SharedWorld&) = delete;

  /// f(World&) with the GIL released. KeyboardInterrupt, and whatever else a signal handler raises, leaves the work of
  /// one rank at its next cancellation point, and of several a wait: there it breaks the World, as the others go on.
  template <class F>
  auto call(F&& f);
  const World& world() const { return *world_; }
  bool closed() const { return closed_; }
  /// Collective; TransportError if the others do not come within `seconds`, where given.
  void close(std::optional<double> seconds);
  /// Makes the waits of the other ranks in this process end.
  void give_up();
  /// Layouts and mailboxes that the garbage collector found: dropped when nobody is inside a collective.
  void bury(std::shared_ptr<void> form);

 private:
  std::optional<std::string> why_stop();  // see World::LostPeer
  static std::exception_ptr raised();     // by a signal handler; null: nothing
  void lock();                            // mutex_; throws what a signal handler raises meanwhile
  void enter();                           // mutex_ held

  std::timed_mutex mutex_;
  std::shared_ptr<Peers> peers_;
  std::unique_ptr<World> world_;
  const int pid_;
  bool closed_ = false;
  std::string broken_;
  std::atomic<double> deadline_{0};
  std::exception_ptr interrupt_;
  std::atomic<std::thread::id> inside_;  // whose call() it is
  std::mutex graves_;
  std::vector<std::shared_ptr<void>> dead_;
};

/// The objects that draw edges of a graph, kept for later calls.
struct EdgeDrawing {
  /// An edge's chance is that of all, in proportion to its weight, or to the entry of a table that its weight numbers.
  enum Chance { alike, by_weight, by_table };
  std::unique_ptr<RandomWalks> walks[2];            // by Chance
  std::unique_ptr<NeighborSampler> samplers[2][3];  // by SampleDirection and Chance
  std::unique_ptr<ImportanceSampler> important[2];  // by Chance
  template <class Self, class F>
  static void for_each(Self& self, F&& f) {
    for (auto& one : self.walks) f(one);
    for (auto& one : self.important) f(one);
    for (auto& of_direction : self.samplers)
      for (auto& one : of_direction) f(one);
  }
};

/// A graph with what keeps it alive, and the algorithms' prepared forms for it: one of each, which serves later calls with
/// the same options of prepare().
struct SharedGraph {
  SharedGraph(std::shared_ptr<SharedWorld> w, Graph&& g)
      : world(std::move(w)), graph(std::move(g)), merged_to_least(graph.merged_to_least()) {}
  ~SharedGraph() {
    for (auto& [name, kept] : prepared) world->bury(std::move(kept.prepared));
    for (auto& search : path_searches) world->bury(std::move(search));
    for (auto& guided : guided_searches) world->bury(std::move(guided.search));
    for (auto& paths : pair_paths) world->bury(std::move(paths));
    world->bury(std::move(pair_similarity));
    world->bury(std::move(similarity_search));
    EdgeDrawing::for_each(edge_drawing, [&](auto& one) { world->bury(std::move(one)); });
  }
  struct GuidedSearch {
    std::vector<double> coordinates;  // of this rank, by owned index: x, y
    std::unique_ptr<PathSearch> search;
  };
  struct Kept {
    std::string arguments;
    std::unique_ptr<catalog::Prepared> prepared;
  };
  std::size_t memory_bytes() const;
  std::shared_ptr<SharedWorld> world;
  Graph graph;
  bool merged_to_least;                          // this graph, or one that its edges come from
  std::map<std::string_view, Kept> prepared;     // by the algorithm's name
  std::unique_ptr<PathSearch> path_searches[2];  // by PathLength
  GuidedSearch guided_searches[2];               // by PathLength
  std::unique_ptr<PairPaths> pair_paths[2];      // by PathLength
  std::unique_ptr<PairSimilarity> pair_similarity;
  std::unique_ptr<SimilaritySearch> similarity_search;
  EdgeDrawing edge_drawing;
};

/// Returns a callback to a Python function of two numbers, which must outlive it; empty for None.
Progress progress_of(const nb::object& function);

template <class T>
using Numpy = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// One-dimensional numpy array that owns `array`.
template <class T>
Numpy<T> to_numpy(Array<T>&& array) {
  auto owned = std::make_unique<Array<T>>(std::move(array));
  T* data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.get(), [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
  owned.release();
  return Numpy<T>(data, {size}, owner);
}

/// Arguments are never converted: a strided or differently typed array would be copied without a word.
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void bind_runtime(nb::module_& m);
void bind_formats(nb::module_& m);
void bind_graph(nb::module_& m);
void bind_edges(nb::class_<SharedGraph>& graph);
void bind_names(nb::module_& m);
void bind_algorithms(nb::module_& m);
void bind_similarity(nb::module_& m);
void bind_apsp(nb::module_& m);
void bind_all_pairs(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_adjacency(nb::module_& m);
void bind_sampling(nb::module_& m);
void bind_device(nb::module_& m);
void bind_spmm(nb::module_& m);
void bind_gnn(nb::module_& m);
void bind_tune(nb::module_& m);

// ---------------------------------------------------------------------------------------------------------------------

template <class F>
auto SharedWorld::call(F&& f) {
  nb::gil_scoped_release free;
  if (inside_ == std::this_thread::get_id())
    throw UsageError(
        "a signal handler calls what works on the World that it interrupts (which is in the midst of something else). "
        "Let the handler raise, or only take note.");
  lock();
  std::lock_guard hold(mutex_, std::adopt_lock);
  struct Inside {
    explicit Inside(std::atomic<std::thread::id>& id) : id_(id) { id_ = std::this_thread::get_id(); }
    ~Inside() { id_ = std::thread::id(); }
    std::atomic<std::thread::id>& id_;
  } inside(inside_);
  enter();
  try {
    return f(*world_);
  } catch (const Interrupted& interrupted) {
    std::rethrow_exception(interrupted.raised);
  } catch (const TransportError& e) {
    broken_ = e.what();
    if (interrupt_) std::rethrow_exception(std::exchange(interrupt_, nullptr));
    throw;
  }
}

}  // namespace atl::python
