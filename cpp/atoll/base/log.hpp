// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <functional>
#include <string>
#include <string_view>

namespace atl {

enum class LogLevel { error, warn, info, debug };

/// Where a World writes its log. The library is silent by default; the command installs a sink that writes
/// "atoll: level: text" to stderr on rank 0.
class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;

  Log() = default;
  explicit Log(Sink sink, LogLevel least = LogLevel::info) : sink_(std::move(sink)), least_(least) {}

  template <class... Args>
  void operator()(LogLevel level, fmt::format_string<Args...> text, Args&&... args) const {
    if (sink_ && level <= least_) sink_(level, fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  Sink sink_;
  LogLevel least_ = LogLevel::info;
};

const char* name_of(LogLevel level);

}  // namespace atl
