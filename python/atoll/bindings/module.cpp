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

// The place before which no words of the remedy stand that ends at `end`.
std::size_t clause_before(std::string_view text, std::size_t end) {
  std::size_t begin = 0;
  for (const std::string_view mark : {". ", ": ", "; ", "("})
    if (const std::size_t at = text.rfind(mark, end); at != std::string_view::npos)
      begin = std::max(begin, at + mark.size());
  return begin;
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const InputError& e) {
    raise("InputError", text_for_python(e.what()).c_str());
  } catch (const UsageError& e) {
    raise("UsageError", text_for_python(e.what()).c_str());
  } catch (const IoError& e) {
    raise("IoError", text_for_python(e.what()).c_str());
  } catch (const TransportError& e) {
    raise("TransportError", text_for_python(e.what()).c_str());
  } catch (const VerificationError& e) {
    raise("VerificationError", text_for_python(e.what()).c_str());
  } catch (const Error& e) {
    raise("Error", text_for_python(e.what()).c_str());
  }
}

}  // namespace

std::string text_for_python(std::string_view text) {
  constexpr std::string_view kInPython = " in Python";
  std::string shown = printable(text);
  for (std::size_t end = 0; (end = shown.find(kInPython, end)) != std::string::npos;) {
    const std::size_t option = shown.find("--", clause_before(shown, shown.rfind("--", end)));
    const std::size_t comma = option < end ? shown.find(", ", option) : std::string::npos;
    if (comma >= end) {  // none of ours: text of a file
      end += kInPython.size();
      continue;
    }
    shown.erase(end, kInPython.size());
    shown.erase(option, comma + 2 - option);
    end -= comma + 2 - option;
  }
  return shown;
}

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
