// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/store/checkpoint.hpp>
#include <atoll/apsp/store/checkpoint_file.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/base/json.hpp>
#include <atoll/io/output_folder.hpp>
#include <atoll/io/read_file.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace atl {
namespace fs = std::filesystem;
namespace {

constexpr int kCheckpointVersion = 2;  // 1 had checksums of our own
constexpr const char* kState = "checkpoint.json";

nlohmann::json to_json(const RunIdentity& run) {
  return {{"n", run.n}, {"type", name_of(run.element)}, {"semiring", name_of(run.semiring)}, {"input", hex(run.input)}};
}

nlohmann::json to_json(const ProcessGrid& grid) {
  return {grid.rows, grid.cols, grid.node_rows, grid.node_cols, grid.cards};
}

std::uint64_t state_sum(const nlohmann::json& json) {
  const std::string text = dump_json(json);
  return checksum(text.data(), text.size());
}

}  // namespace

Checkpoint::Checkpoint(World& world, const CheckpointOptions& options)
    : world_(world), options_(options), saved_at_(world.now()) {
  const auto n = static_cast<std::uint64_t>(options_.run.n);
  const std::uint64_t once = n * n * bytes_of(options_.run.element);
  std::uint64_t there = 0;
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    check(!options_.folder.empty(), "the folder for checkpoints has no name. Give one.");
    std::error_code error;
    fs::create_directory(options_.folder, error);
    if (error && !fs::is_directory(options_.folder))
      throw IoError(fmt::format("{}: cannot be made ({}). Check the path and the permissions of its folder.",
                                options_.folder, error.message()));
    for (const auto& entry : fs::directory_iterator(options_.folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("step-") && !name.ends_with(".part")) latest_ = std::max(latest_, entry.path().string());
    }
    if (latest_.empty()) return;
    const nlohmann::json state = read_state(latest_);
    check(state.at("run") == to_json(options_.run),
          "{}: is of another run ({}; this one is {}). Name another folder, or remove it.", latest_,
          dump_json(state.at("run")), dump_json(to_json(options_.run)));
    state_ = dump_json(state);
    there = once;
  });
  broadcast_text(world_, latest_);
  broadcast_text(world_, state_);
  check_room(world_, options_.folder + "/step", 2 * once - world_.max(there), Existing::replace,
             fmt::format("two checkpoints of {0} x {0} values of {1}", n, name_of(options_.run.element)));
}

nlohmann::json Checkpoint::read_state(const std::string& folder) const {
  const std::string path = folder + "/" + kState;
  std::ifstream in(path, std::ios::binary);
  check(static_cast<bool>(in), "{}: cannot be opened (every checkpoint has one). Remove {}.", path, folder);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  try {
    const nlohmann::json all = parse_json(text);
    const nlohmann::json& state = all.at("state");
    check(state.at("version") == kCheckpointVersion,
          "{}: is of version {} (this program reads version {}). Remove {} and start again.", path,
          dump_json(state.at("version")), kCheckpointVersion, folder);
    check(all.at("checksum") == hex(state_sum(state)),
          "{}: is damaged (its checksum is wrong). Remove {} and start again.", path, folder);
    return state;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: is damaged ({}). Remove {} and start again.", path, e.what(), folder));
  }
}

Due Checkpoint::due(std::int64_t step) {
  Due mine = Due::no;
  if (options_.every_steps > 0 && step > 0 && step % options_.every_steps == 0 && step != saved_step_) mine = Due::save;
  if (options_.every_seconds > 0 && world_.rank() == 0 && world_.now() - saved_at_ >= options_.every_seconds)
    mine = Due::save;
  if (terminate_.given()) mine = Due::save_and_end;
  return static_cast<Due>(world_.max(static_cast<int>(mine)));
}

template <class T>
void Checkpoint::save(std::int64_t step, const Distances<T>& distances) {
  RankTimer timer(world_);
  const GridLayout& layout = distances.layout;
  world_.collective_try([&] {
    check(
        options_.run.n == layout.rows.size && sizeof(T) == bytes_of(options_.run.element),
        "{}: a matrix of {} rows and {} bytes a value is to be saved (the run was said to have {} and {}). Correct it.",
        options_.folder, layout.rows.size, sizeof(T), options_.run.n, bytes_of(options_.run.element));
  });
  const RankFile mine(layout, world_.rank(), sizeof(T));
  OutputFolder folder(world_, fmt::format("{}/step-{:08}", options_.folder, step), Existing::replace, kState);
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(mine.blocks()));
  world_.collective_try([&] {
    const FileHandle& file = folder.create(name_of_rank(world_.rank()), mine.bytes());
    std::vector<Array<T>> buffers(static_cast<std::size_t>(world_.team().size()));
    world_.team().for_range(sums.size(), 1, [&](int thread, std::size_t t, std::size_t) {
      const auto k = static_cast<std::int64_t>(t);
      const std::int64_t i = mine.block_row(k), j = mine.block_col(k);
      const std::int64_t height = layout.rows.length_of(i), width = layout.cols.length_of(j);
      Array<T>& buffer = buffers[thread];
      if (buffer.empty()) buffer = Array<T>(mine.bytes_of(0) / sizeof(T));  // the first block is the largest
      const T* from =
          distances.local.data() + layout.rows.local_begin(i) * distances.local.stride() + layout.cols.local_begin(j);
      for (std::int64_t r = 0; r < height; ++r)
        std::memcpy(buffer.data() + r * width, from + r * distances.local.stride(),
                    static_cast<std::size_t>(width) * sizeof(T));
      sums[t] = checksum(buffer.data(), mine.bytes_of(k));
      folder.write_at(file, buffer.data(), mine.bytes_of(k), mine.begin_of(k));
    });
    folder.write_at(file, sums.data(), sums.size() * sizeof sums[0], mine.table_begin());
  });
  struct Part {
    std::uint64_t bytes, table_sum;
  };
  const auto parts = world_.all_gather(Part{mine.bytes(), checksum(sums.data(), sums.size() * sizeof sums[0])});
  nlohmann::json tables = nlohmann::json::array();
  std::uint64_t bytes = 0;
  for (const Part& part : parts) {
    tables.push_back(hex(part.table_sum));
    bytes += part.bytes;
  }
  nlohmann::json state = {{"version", kCheckpointVersion}, {"step", step},
                          {"block", layout.rows.block},    {"grid", to_json(layout.grid)},
                          {"run", to_json(options_.run)},  {"tables", tables}};
  world_.collective_try([&] {
    if (world_.rank() != 0) return;
    const std::string text = dump_json(nlohmann::json{{"checksum", hex(state_sum(state))}, {"state", state}}, 2) + "\n";
    folder.write(kState, text.data(), text.size());
  });
  folder.commit();
  latest_ = folder.path();
  state_ = dump_json(state);
  // Only now is the new checkpoint complete on all ranks. This also removes leftovers of killed runs.
  if (world_.rank() == 0) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(options_.folder, ignored))
      if (entry.path() != fs::path(latest_) && entry.path().filename().string().starts_with("step-"))
        fs::remove_all(entry.path(), ignored);
  }
  saved_step_ = step;
  saved_at_ = world_.now();
  ++report_.saved;
  report_.save_seconds += timer.seconds();
  report_.bytes = bytes;
}

template void Checkpoint::save(std::int64_t, const Distances<float>&);
template void Checkpoint::save(std::int64_t, const Distances<double>&);
template void Checkpoint::save(std::int64_t, const Distances<std::int32_t>&);
template void Checkpoint::save(std::int64_t, const Distances<std::uint16_t>&);
template void Checkpoint::save(std::int64_t, const Distances<std::uint8_t>&);

}  // namespace atl
