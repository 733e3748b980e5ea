// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/utf8.hpp>
#include <atoll/base/version.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

// The classes are Python's (atoll/errors.py), so that each can also be a ValueError, an OSError, a
// RuntimeError.
void raise(const char* name, const char* text) {
  try {
    PyErr_SetString(nb::module_::import_("atoll.errors").attr(name).ptr(), text);
  } catch (nb::python_error& e) {
    e.restore();
  }
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const InputError& e) {
    raise("InputError", printable(e.what()).c_str());
  } catch (const UsageError& e) {
    raise("UsageError", printable(e.what()).c_str());
  } catch (const IoError& e) {
    raise("IoError", printable(e.what()).c_str());
  } catch (const TransportError& e) {
    raise("TransportError", printable(e.what()).c_str());
  } catch (const VerificationError& e) {
    raise("VerificationError", printable(e.what()).c_str());
  } catch (const Error& e) {
    raise("Error", printable(e.what()).c_str());
  }
}

}  // namespace
}  // namespace atl::python

NB_MODULE(_core, m) {
  using namespace atl::python;
  m.doc() = "The compiled part of atoll; use the package.";
  m.attr("VERSION") = atl::kVersion.data();
  nb::set_leak_warnings(false);  // worlds of MPI live until the end of the process
  nb::register_exception_translator(translate);
  bind_runtime(m);
  bind_formats(m);
  bind_graph(m);
  bind_names(m);
  bind_algorithms(m);
  bind_similarity(m);
  bind_apsp(m);
  bind_all_pairs(m);
  bind_paths(m);
  bind_adjacency(m);
  bind_spmm(m);
  bind_device(m);
  bind_gnn(m);
  bind_sampling(m);
  bind_tune(m);
}
