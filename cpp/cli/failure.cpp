// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/utf8.hpp>
#include <atoll/runtime/aggregation/termination.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <atomic>
#include <csignal>
#include <exception>
#include <new>
#include <system_error>
#include <typeinfo>

namespace atl::cli {
namespace {
constexpr char kMemoryRanOut[] =
    "memory ran out (the machine or a limit has no more). Use more ranks, or `atoll inspect` first.";
}

// Messages may quote a file's bytes, which JSON and terminals take as UTF-8.
Failure current_failure() {
  try {
    throw;
  } catch (const UsageError& e) {
    return {exit_code_of(e), "usage", printable(e.what())};
  } catch (const InputError& e) {
    return {exit_code_of(e), "input", printable(e.what())};
  } catch (const IoError& e) {
    return {exit_code_of(e), "io", printable(e.what())};
  } catch (const TransportError& e) {
    return {1, "transport", printable(e.what())};
  } catch (const VerificationError& e) {
    return {1, "verification", printable(e.what())};
  } catch (const RunStopped& e) {
    return {1, "stopped", printable(e.what())};
  } catch (const Error& e) {
    return {1, "system", printable(e.what())};
  } catch (const std::system_error& e) {
    // The code that a shell reports for a command ended by SIGPIPE.
    if (e.code() == std::errc::broken_pipe) return {128 + SIGPIPE, "pipe", ""};
    return {1, "internal", printable(e.what())};
  } catch (const std::bad_alloc&) {
    return {1, "memory", kMemoryRanOut};
  } catch (const std::exception& e) {
    return {1, "internal", printable(e.what())};
  } catch (...) {
    return {1, "internal", "an unknown error"};
  }
}

namespace {

std::terminate_handler on_other_errors = nullptr;

// Nothing here allocates.
[[noreturn]] void end_uncaught() {
  static std::atomic_flag said;
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (!type || *type != typeid(std::bad_alloc)) on_other_errors();
  while (said.test_and_set()) pause();  // another thread has said it, and ends the program
  char text[160];
  const auto end = fmt::format_to_n(text, sizeof text, "atoll: error: {}\n", kMemoryRanOut);
  static_cast<void>(!write(STDERR_FILENO, text, end.size));
  _exit(1);
}

}  // namespace

void report_uncaught_lack_of_memory() { on_other_errors = std::set_terminate(end_uncaught); }

}  // namespace atl::cli
