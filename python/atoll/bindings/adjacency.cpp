// SPDX-License-Identifier: Apache-2.0
// The adjacency dicts of a NetworkX graph as arrays, through CPython's interface: one pass over the edges, which is
// where the time of a conversion goes.
#include <array>

#include "bindings.hpp"

namespace atl::python {
namespace {

// Number of entries whose targets are fetched from memory together: each lies somewhere else.
constexpr std::size_t kBlock = 512;

/// Something that only Python knows how to treat: a class of its own instead of dict, a node or a weight that is
/// neither int nor str nor float.
struct NotPlain {};

PyObject* plain_dict(PyObject* object) {
  if (!PyDict_CheckExact(object)) throw NotPlain{};
  return object;
}

struct Entry {
  PyObject *key, *value;
};

/// f(entries, how many) for the entries of a dict, in its order, blockwise; `ahead` is fetched ahead.
template <class F>
void in_blocks(PyObject* dict, PyObject* Entry::*ahead, F&& f) {
  std::array<Entry, kBlock> block;
  std::size_t filled = 0;
  Py_ssize_t at = 0;
  while (PyDict_Next(plain_dict(dict), &at, &block[filled].key, &block[filled].value)) {
    __builtin_prefetch(block[filled++].*ahead);
    if (filled == kBlock) f(block.data(), std::exchange(filled, 0));
  }
  if (filled != 0) f(block.data(), filled);
}

/// Positions of nodes in a list of them. Ints and strings only: to look them up runs no code of the user's, so that the
/// dicts stay as they are.
class NodeIndex {
 public:
  explicit NodeIndex(nb::list nodes) {
    const std::size_t n = nodes.size();
    if (n >= static_cast<std::size_t>(INT32_MAX)) throw NotPlain{};
    bool dense = true;
    const long long limit = 4 * static_cast<long long>(n) + 1024;
    for (nb::handle node : nodes) {
      const bool is_int = PyLong_CheckExact(node.ptr()) != 0;
      if (!is_int && !PyUnicode_CheckExact(node.ptr())) throw NotPlain{};
      const long long id = is_int ? value_of(node.ptr()) : -1;
      dense = dense && id >= 0 && id < limit;
      if (dense && static_cast<std::size_t>(id) >= table_.size()) table_.resize(static_cast<std::size_t>(id) + 1, -1);
    }
    if (!dense) {
      table_.clear();
      index_ = nb::dict();
    }
    std::int32_t position = 0;
    for (nb::handle node : nodes) {
      if (dense)
        table_[value_of(node.ptr())] = position++;
      else
        (*index_)[node] = position++;
    }
  }

  std::int32_t operator()(PyObject* node) const {
    if (index_) {
      if (!PyLong_CheckExact(node) && !PyUnicode_CheckExact(node)) throw NotPlain{};
      PyObject* position = PyDict_GetItemWithError(index_->ptr(), node);
      if (!position) throw NotPlain{};
      return static_cast<std::int32_t>(PyLong_AsLong(position));
    }
    if (!PyLong_CheckExact(node)) throw NotPlain{};
    const long long id = value_of(node);
    if (id < 0 || id >= static_cast<long long>(table_.size())) throw NotPlain{};
    const std::int32_t position = table_[id];
    if (position < 0) throw NotPlain{};
    return position;
  }

 private:
  // -1 where it does not fit, as for any negative one
  static long long value_of(PyObject* node) {
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(node, &overflow);
  }

  std::vector<std::int32_t> table_;  // by value, where the nodes are ints from a range not much longer than the list
  std::optional<nb::dict> index_;    // otherwise
};

struct Number {
  double value;
  bool whole;
};

Number number_of(PyObject* object) {
  if (PyFloat_CheckExact(object)) return {PyFloat_AsDouble(object), false};
  if (!PyLong_CheckExact(object)) throw NotPlain{};
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) throw NotPlain{};
  return {static_cast<double>(value), true};
}

template <class T>
Numpy<T> as_numpy(const std::vector<T>& values) {
  Array<T> out(values.size());
  std::copy(values.begin(), values.end(), out.begin());
  return to_numpy(std::move(out));
}

/// An edge's attribute, the least of parallel edges.
class Attribute {
 public:
  Attribute(nb::handle name, nb::handle fallback, bool multigraph)
      : name_(name.ptr()), fallback_(number_of(fallback.ptr())), multigraph_(multigraph) {
    if (!PyUnicode_CheckExact(name_)) throw NotPlain{};
  }

  void add(PyObject* data) {
    Number number = fallback_;
    if (multigraph_) {
      bool first = true;
      Py_ssize_t at = 0;
      PyObject *key, *one;
      while (PyDict_Next(plain_dict(data), &at, &key, &one)) {
        const Number next = look_up(one);
        if (std::exchange(first, false) || next.value < number.value) number = next;
      }
    } else {
      number = look_up(data);
    }
    values_.push_back(number.value);
    whole_ = whole_ && number.whole;
  }

  /// (values, whether all are ints); None where it is 1 everywhere because no edge has it.
  nb::object found() {
    if (!seen_ && fallback_.whole && fallback_.value == 1) return nb::none();
    return nb::make_tuple(as_numpy(values_), whole_);
  }

 private:
  Number look_up(PyObject* data) {
    if (PyDict_Size(plain_dict(data)) == 0) return fallback_;
    PyObject* value = PyDict_GetItemWithError(data, name_);
    if (!value) {
      if (PyErr_Occurred()) nb::raise_python_error();
      return fallback_;
    }
    seen_ = true;
    return number_of(value);
  }

  PyObject* name_;
  Number fallback_;
  bool multigraph_, seen_ = false, whole_ = true;
  std::vector<double> values_;
};

/// The edges that a walk collects, of an undirected graph those from the end that comes first among the nodes.
struct Walk {
  const NodeIndex& position_of;
  const bool directed, multigraph;
  std::optional<Attribute> weights;
  std::vector<std::int32_t> sources, targets;
  std::vector<std::int64_t> counts;

  void row(PyObject* node, PyObject* neighbours) {
    const std::int32_t source = position_of(node);
    in_blocks(neighbours, &Entry::key, [&](Entry* entries, std::size_t size) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t target = position_of(entries[i].key);
        if (!directed && source > target) continue;
        targets.push_back(target);
        if (weights || multigraph) __builtin_prefetch(entries[i].value);
        entries[kept++] = entries[i];
      }
      sources.insert(sources.end(), kept, source);
      for (std::size_t i = 0; i < kept; ++i) {
        if (multigraph) counts.push_back(PyDict_Size(plain_dict(entries[i].value)));
        if (weights) weights->add(entries[i].value);
      }
    });
  }
};

/// (sources, targets, edges in parallel or None, attribute or None); None where Python has to do it.
nb::object adjacency_edges(nb::handle adjacency, nb::list nodes, bool directed, bool multigraph, nb::object attribute,
                           nb::object fallback) try {
  const NodeIndex position_of(nodes);
  Walk walk{position_of, directed, multigraph, {}, {}, {}, {}};
  if (!attribute.is_none()) walk.weights.emplace(attribute, fallback, multigraph);
  in_blocks(adjacency.ptr(), &Entry::value, [&](const Entry* rows, std::size_t size) {
    for (std::size_t r = 0; r < size; ++r) walk.row(rows[r].key, rows[r].value);
  });
  nb::object counts = nb::none(), weights = nb::none();
  if (multigraph) counts = nb::cast(as_numpy(walk.counts));
  if (walk.weights) weights = walk.weights->found();
  return nb::make_tuple(as_numpy(walk.sources), as_numpy(walk.targets), counts, weights);
} catch (const NotPlain&) {
  return nb::none();
}

}  // namespace

void bind_adjacency(nb::module_& m) {
  using namespace nb::literals;
  m.def("adjacency_edges", &adjacency_edges, "adjacency"_a, "nodes"_a, "directed"_a, "multigraph"_a,
        "attribute"_a.none(), "default"_a);
}

}  // namespace atl::python
