// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

// Verbs and options are asked of the program itself each time, so that a script goes on to fit newer versions. The
// words of `atoll --help` and of a verb's that begin two columns in are verbs, algorithms or options.
constexpr const char* kBash = R"(_atoll() {
  local at="${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" = 1 ]; then
    words=$(atoll --help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9-]*\).*/\1/p')
  elif [[ $at == -* ]]; then
    local verb=("${COMP_WORDS[1]}")
    [[ $COMP_CWORD -gt 2 && ${COMP_WORDS[2]} =~ ^[a-z][a-z0-9-]*$ ]] && verb+=("${COMP_WORDS[2]}")
    words=$({ atoll "${verb[@]}" --help || atoll "${verb[0]}" --help; } 2>/dev/null | grep -o -- '^  --[a-z0-9-]*')
  elif [ "$COMP_CWORD" = 2 ]; then
    words=$(atoll "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9-]*\) .*/\1/p')
  fi
  COMPREPLY=($(compgen -W "$words" -- "$at"))
  [[ $at == -* ]] || COMPREPLY+=($(compgen -f -- "$at"))
}
complete -o filenames -F _atoll atoll
)";

constexpr const char* kZsh = R"(autoload -U +X bashcompinit && bashcompinit
)";

constexpr const char* kFish = R"(function __atoll_words
  set -l words (commandline -opc)
  if test (count $words) = 1
    atoll --help 2>/dev/null | string replace -rf '^  ([a-z][a-z0-9-]*) +(.*)' '$1\t$2'
    return
  end
  set -l verb $words[2]
  if test (count $words) -gt 2; and string match -qr '^[a-z][a-z0-9-]*$' -- $words[3]
    set verb $verb $words[3]
  end
  if string match -q -- '-*' (commandline -ct)
    begin; atoll $verb --help; or atoll $verb[1] --help; end 2>/dev/null | string replace -rf '^  (--[a-z0-9-]+).*' '$1'
  else if test (count $words) = 2
    atoll $verb --help 2>/dev/null | string replace -rf '^  ([a-z][a-z0-9-]*) .*' '$1'
  end
end
complete -c atoll -a '(__atoll_words)'
)";

}  // namespace

int verb_completion(const Words& words) {
  const std::string shell = words.size() == 1 ? words[0] : "";
  if (shell == "bash") {
    print_result(kBash);
  } else if (shell == "zsh") {
    print_result(std::string(kZsh) + kBash);
  } else if (shell == "fish") {
    print_result(kFish);
  } else {
    const std::string help =
        "usage: atoll completion bash|zsh|fish\n\n"
        "  bash   eval \"$(atoll completion bash)\" in ~/.bashrc\n"
        "  zsh    eval \"$(atoll completion zsh)\" in ~/.zshrc, behind compinit\n"
        "  fish   atoll completion fish > ~/.config/fish/completions/atoll.fish\n";
    if (shell == "--help" || shell == "-h") {
      print_result(help);
      return 0;
    }
    say("atoll: error: completion of {} (bash, zsh and fish have one). Choose one.\n{}",
        words.empty() ? "nothing" : "'" + words[0] + "'", help);
    return 2;
  }
  return 0;
}

}  // namespace atl::cli
