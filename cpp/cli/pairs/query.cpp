// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/apsp/queries/distance_queries.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/names/read_named.hpp>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/text_lines.hpp>
#include <charconv>
#include <cli/cli11.hpp>
#include <cmath>
#include <iterator>
#include <optional>

#include "cli/run/named_report.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct QueryOptions {
  std::string file, pairs_file, output;
  std::vector<std::string> from_texts, to_texts, near_texts;
  bool path = false, names = false;
  int k = 0;
  double limit_s = std::numeric_limits<double>::infinity();
};

struct Pairs {
  std::vector<Vertex> from, to;
};

struct Answer {
  nlohmann::json found = nlohmann::json::array();
  std::string text;
  bool is_complete = true;
};

// Calls f(where, line) for each line of the file; "-": of stdin.
template <class F>
void each_line(const std::string& path, F&& f) {
  const auto read = [&](const std::string& name, const TextLines::Read& from) {
    for (TextLines lines(name, from); lines.next();) f(fmt::format("{}:{}", name, lines.number()), lines.line());
  };
  if (path == "-")
    return read("stdin", [](char* into, std::size_t n) {
      const std::size_t got = std::fread(into, 1, n, stdin);
      if (std::ferror(stdin)) throw IoError("stdin: cannot be read (an error of the system). Give a file.");
      return got;
    });
  const InputFile file(path);
  TextStream stream(file);
  read(path, [&](char* into, std::size_t n) { return stream.read(into, n); });
}

// How vertices are written in questions and answers: by id, or by the names beside the file.
class VertexParser {
 public:
  VertexParser(World& world, const QueryOptions& options) {
    if (options.names) names_ = map_dictionary(world, names_path(options.file));
  }

  Vertex vertex(std::string_view text, const std::string& where) const {
    if (names_) {
      const Vertex found = names_->find(text);
      check(found != kNoVertex, "{}: '{}' is the name of no vertex{}. Correct it.", where, text,
            names_->nearest_text(text));
      return found;
    }
    const auto id = id_of(text);
    if (!id) throw InputError(no_id(text, where));
    return *id;
  }
  // Parses the vertices that an option gives.
  std::vector<Vertex> vertices(const std::vector<std::string>& texts, const std::string& option) const {
    std::vector<Vertex> out;
    for (const std::string& text : texts) {
      if (!names_ && !id_of(text)) throw UsageError(no_id(text, option));
      out.push_back(vertex(text, option));
    }
    return out;
  }

  std::string text(Vertex v) const { return text_of(v, names_ ? &*names_ : nullptr); }
  nlohmann::json json(Vertex v) const { return names_ ? nlohmann::json(names_->name(v)) : nlohmann::json(v); }
  nlohmann::json json(std::span<const Vertex> vertices) const {
    nlohmann::json out = nlohmann::json::array();
    for (const Vertex v : vertices) out.push_back(json(v));
    return out;
  }
  std::string path(std::span<const Vertex> vertices) const {
    if (vertices.empty()) return "-";
    std::string out = text(vertices[0]);
    for (const Vertex v : vertices.subspan(1)) out += (names_ ? " > " : " ") + text(v);
    return out;
  }
  // The columns of a line of pairs.
  std::vector<std::string> fields(std::string_view line, const std::string& where) const {
    if (!names_) {
      const auto found = fields_of(line);
      return {found.begin(), found.end()};
    }
    try {
      return name_fields(line, separator_of({line}));
    } catch (const LineError& e) {
      throw InputError(fmt::format("{}: {}", where, e.what));
    }
  }

 private:
  static std::optional<Vertex> id_of(std::string_view text) {
    Vertex id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size() || id < 0) return {};
    return id;
  }
  static std::string no_id(std::string_view text, const std::string& where) {
    return fmt::format("{}: '{}' is no id (a whole number from 0 on; with --names it is a name). Correct it.", where,
                       text);
  }

  std::optional<Dictionary> names_;
};

Pairs read_pairs(const std::string& path, const VertexParser& parser) {
  Pairs pairs;
  each_line(path, [&](const std::string& where, std::string_view line) {
    const auto fields = parser.fields(line, where);
    if (fields.empty() || (fields.size() == 1 && fields[0].empty()) || line.starts_with('#')) return;
    check(fields.size() >= 2, "{}: one column (a pair has two vertices). Give two a line.", where);
    pairs.from.push_back(parser.vertex(fields[0], where));
    pairs.to.push_back(parser.vertex(fields[1], where));
  });
  return pairs;
}

Pairs pairs_of(const DistanceFile& file, const QueryOptions& options, const VertexParser& parser) {
  if (!options.pairs_file.empty()) return read_pairs(options.pairs_file, parser);
  std::vector<Vertex> to = parser.vertices(options.to_texts, "--to");
  if (to.empty())
    for (std::int64_t j = 0; j < file.n(); ++j) to.push_back(file.id_of(j));
  Pairs pairs;
  for (const Vertex u : parser.vertices(options.from_texts, "--from"))
    for (const Vertex v : to) {
      pairs.from.push_back(u);
      pairs.to.push_back(v);
    }
  return pairs;
}

// A line of: from, to, distance, and the path's vertices where paths are asked for.
Answer distances(Team& team, const DistanceQueries& queries, const Pairs& pairs, bool with_paths,
                 const VertexParser& parser) {
  Answer answer;
  const std::vector<double> apart = queries.distances(team, pairs.from, pairs.to);
  const DistanceQueries::Paths paths =
      with_paths ? queries.paths(team, pairs.from, pairs.to) : DistanceQueries::Paths{};
  answer.text = with_paths ? "from\tto\tdistance\tpath\n" : "from\tto\tdistance\n";
  for (std::size_t i = 0; i < apart.size(); ++i) {
    nlohmann::json one{{"from", parser.json(pairs.from[i])}, {"to", parser.json(pairs.to[i])}, {"distance", apart[i]}};
    fmt::format_to(std::back_inserter(answer.text), "{}\t{}\t{}", parser.text(pairs.from[i]), parser.text(pairs.to[i]),
                   apart[i]);
    if (with_paths) {
      const std::span<const Vertex> path(paths.vertices.data() + paths.offsets[i],
                                         paths.vertices.data() + paths.offsets[i + 1]);
      answer.text += "\t" + parser.path(path);
      one["path"] = parser.json(path);
    }
    answer.text += '\n';
    answer.found.push_back(std::move(one));
  }
  return answer;
}

// A line of: from, to, place among the best from 1 on, length, path.
Answer k_best(const DistanceQueries& queries, const Pairs& pairs, const QueryOptions& options,
              const VertexParser& parser) {
  Answer answer{.text = "from\tto\tplace\tlength\tpath\n"};
  for (std::size_t i = 0; i < pairs.from.size(); ++i) {
    const auto best = queries.k_best(pairs.from[i], pairs.to[i], options.k, {.limit_s = options.limit_s});
    nlohmann::json one{
        {"from", parser.json(pairs.from[i])}, {"to", parser.json(pairs.to[i])}, {"complete", best.is_complete}};
    one["paths"] = nlohmann::json::array();
    answer.is_complete = answer.is_complete && best.is_complete;
    int place = 0;
    for (const auto& [length, vertices] : best.paths) {
      fmt::format_to(std::back_inserter(answer.text), "{}\t{}\t{}\t{}\t{}\n", parser.text(pairs.from[i]),
                     parser.text(pairs.to[i]), ++place, length, parser.path(vertices));
      one["paths"].push_back({{"length", length}, {"path", parser.json(vertices)}});
    }
    answer.found.push_back(std::move(one));
  }
  return answer;
}

// A line of: from, neighbour, length of the arc.
Answer neighbors(const DistanceQueries& queries, std::span<const Vertex> vertices, const VertexParser& parser) {
  Answer answer{.text = "from\tneighbor\tlength\n"};
  for (const Vertex u : vertices) {
    const auto near = queries.neighbors(u);
    for (std::size_t k = 0; k < near.ids.size(); ++k)
      fmt::format_to(std::back_inserter(answer.text), "{}\t{}\t{}\n", parser.text(u), parser.text(near.ids[k]),
                     near.lengths[k]);
    answer.found.push_back({{"from", parser.json(u)}, {"neighbors", parser.json(near.ids)}, {"lengths", near.lengths}});
  }
  return answer;
}

Outcome query(World& world, const QueryOptions& options, const Log& log) {
  if (world.size() > 1)
    throw UsageError(
        fmt::format("apsp query over {} ranks (one process asks a file). Start it without a launcher.", world.size()));
  RankTimer timer(world);
  const DistanceQueries queries(std::make_shared<DistanceFile>(options.file));
  const DistanceFile& file = *queries.file();
  const VertexParser parser(world, options);
  const double open_seconds = timer.lap();
  if (!file.has_checksums())
    log(LogLevel::info,
        "{} has no checksums (it was written by numpy or an earlier version): damage to it is not noticed. Write it "
        "again to have them.",
        file.path());
  Answer answer;
  std::size_t asked = options.near_texts.size();
  if (asked > 0) {
    answer = neighbors(queries, parser.vertices(options.near_texts, "--neighbors"), parser);
  } else {
    const Pairs pairs = pairs_of(file, options, parser);
    asked = pairs.from.size();
    answer = options.k > 0 ? k_best(queries, pairs, options, parser)
                           : distances(world.team(), queries, pairs, options.path, parser);
  }
  if (!answer.is_complete)
    log(LogLevel::warn,
        "not all of the {} best paths were found within --limit {} s: those that are missing are longer than "
        "those that are there. Give more time.",
        options.k, options.limit_s);
  Outcome outcome;
  outcome.input = {{"name", file.path()},
                   {"vertices", file.n()},
                   {"type", name_of(file.element())},
                   {"semiring", name_of(file.meta().semiring)},
                   {"checksums", file.has_checksums()}};
  outcome.result = {{"asked", asked}, {"answers", std::move(answer.found)}};
  outcome.seconds = {{"open", open_seconds}, {"run", timer.lap()}};
  if (options.output.empty())
    outcome.text = std::move(answer.text);
  else
    put_file(options.output, answer.text);
  return outcome;
}

}  // namespace

int apsp_query(const Words& words) {
  Command command("apsp query",
                  "Asks a file of all pairs' distances (run apsp --output, AllPairs.save): distances, shortest paths, "
                  "the k best, neighbours. A line an answer, columns separated by tabs, original ids or names.");
  QueryOptions options;
  CLI::App& app = command.app();
  app.add_option("file", options.file, "NAME.npy, NAME.tiles, NAME.zarr or NAME.h5")->required();
  app.add_flag("--names", options.names, "vertices have the names of NAME.npy.names, as run apsp --names writes");
  auto* from =
      app.add_option("--from", options.from_texts, "vertices to start from, separated by commas")->delimiter(',');
  auto* to = app.add_option("--to", options.to_texts, "vertices to end at (default: all)")->delimiter(',')->needs(from);
  auto* pairs =
      app.add_option("--pairs", options.pairs_file, "a text of two vertices a line; -: stdin")->excludes(from);
  auto* near = app.add_option("--neighbors", options.near_texts, "the arcs that leave these vertices")->delimiter(',');
  near->excludes(from)->excludes(to)->excludes(pairs);
  auto* path = app.add_flag("--path", options.path, "a shortest path too: its vertices, or - where there is none");
  auto* k = app.add_option("--k", options.k, "the K shortest paths without a vertex twice")->check(CLI::PositiveNumber);
  app.add_option("--limit", options.limit_s, "seconds for the K best of a pair; what is missing then is said")
      ->check(CLI::NonNegativeNumber)
      ->needs(k);
  app.add_option("--output", options.output, "the file for the answers (default: stdout)");
  k->excludes(path);
  for (CLI::Option* option : {path, k}) option->excludes(near);
  command.remove_job_options();
  app.parse_complete_callback([&] {
    if (std::isnan(options.limit_s)) throw CLI::ValidationError("--limit", "nan is no number of seconds");
    if (options.from_texts.empty() && options.pairs_file.empty() && options.near_texts.empty())
      throw CLI::ValidationError("nothing is asked", "give --from and --to, --pairs or --neighbors");
  });
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return query(world, options, command.log()); });
}

int verb_apsp(const Words& words) {
  const std::string help =
      "usage: atoll apsp query FILE --from IDS --to IDS [--path | --k K]\n\n"
      "  query    ask a file of all pairs' distances\n\n`atoll run apsp GRAPH --output FILE` makes one.\n";
  if (!words.empty() && words[0] == "query") return apsp_query(Words(words.begin() + 1, words.end()));
  if (!words.empty() && (words[0] == "--help" || words[0] == "-h")) {
    print_result(help);
    return 0;
  }
  say("atoll: error: {} (apsp needs one of those below). Choose one.\n{}",
      words.empty() ? std::string("nothing is named") : "apsp '" + words[0] + "' is unknown", help);
  return 2;
}

}  // namespace atl::cli
