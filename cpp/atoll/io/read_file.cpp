// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/io/line_ends.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/scan.hpp>
#include <cerrno>
#include <exception>
#include <filesystem>
#include <system_error>
#include <vector>

namespace atl {
namespace fs = std::filesystem;
namespace {

// Compressed bytes passed to the decoder per system call.
constexpr std::size_t kPackedChunk = std::size_t{256} << 10;

std::string reason(int error) { return std::generic_category().message(error); }

std::string strip_packing(const std::string& name) {
  for (const char* ending : {".gz", ".zst"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::strlen(ending));
  return name;
}

// The Levenshtein distance; names are short.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// The name in the same folder that was probably meant, or empty.
std::string similar_name(const fs::path& path) {
  const std::string name = path.filename().string();
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::string best;
  std::size_t best_distance = 3;
  std::error_code ignored;
  std::size_t looked_at = 0;
  for (fs::directory_iterator it(folder, ignored), end; it != end && looked_at < 10000;
       it.increment(ignored), ++looked_at) {
    const std::string other = it->path().filename().string();
    std::size_t d = std::min(distance(name, other), distance(strip_packing(name), strip_packing(other)));
    if (fs::path(strip_packing(other)).stem() == fs::path(strip_packing(name)).stem()) d = std::min(d, std::size_t{2});
    if (d < best_distance || (d == best_distance && !best.empty() && other < best)) {
      best_distance = d;
      best = other;
    }
  }
  return best;
}

[[noreturn]] void refuse_missing(const std::string& path) {
  const fs::path p(path);
  std::error_code ignored;
  const fs::path folder = p.has_parent_path() ? p.parent_path() : fs::path(".");
  if (path.empty()) throw InputError("the path of the input is empty. Name a file.");
  if (!fs::exists(folder, ignored))
    throw InputError(fmt::format("{}: no such file (there is no folder {}). Check the path.", path, folder.string()));
  const std::string similar = similar_name(p);
  if (similar.empty())
    throw InputError(
        fmt::format("{}: no such file (nothing in {} has a similar name). Check the path.", path, folder.string()));
  throw InputError(fmt::format("{}: no such file (its folder has {}). Did you mean that?", path, similar));
}

std::uint64_t word(const unsigned char* p, int bytes) {
  std::uint64_t w = 0;
  for (int i = bytes; i-- > 0;) w = w << 8 | p[i];
  return w;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (text.size() > kMost ? "..'" : "'");
}

InputFile::InputFile(const std::string& path) : path_(path), handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!handle_) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) refuse_missing(path);
    if (error == EACCES)
      throw IoError(fmt::format("{}: cannot be opened ({}). Check the permissions of the file and its folders.", path,
                                reason(error)));
    throw IoError(fmt::format("{}: cannot be opened ({}). Check the path.", path, reason(error)));
  }
  struct stat status {};
  if (fstat(handle_.get(), &status) != 0)
    throw IoError(fmt::format("{}: cannot be read ({}). Check the file system.", path, reason(errno)));
  check(!S_ISDIR(status.st_mode), "{}: is a folder (a file was expected). Name a file in it.", path);
  check(S_ISREG(status.st_mode),
        "{}: is no regular file (several readers need to seek in it). Copy it into a file first.", path);
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  check(bytes_ > 0, "{}: is empty (0 bytes). Check how it was written.", path);
  posix_fadvise(handle_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);

  unsigned char start[18] = {};
  const std::size_t n = std::min<std::uint64_t>(bytes_, sizeof start);
  read_at(start, n, 0);
  if (n >= 2 && start[0] == 0x1f && start[1] == 0x8b) packing_ = Packing::gzip;
  // A frame, or a skippable frame.
  if (n >= 4 && (word(start, 4) == 0xfd2fb528 || (word(start, 4) & 0xfffffff0) == 0x184d2a50)) packing_ = Packing::zstd;
  check(packing_ == Packing::gzip || !path.ends_with(".gz"),
        "{}: its first bytes are {} (those of a .gz file are 1f 8b). Check how it was written, or rename it.", path,
        fmt::format("{:02x} {:02x}", start[0], start[1]));
  check(packing_ == Packing::zstd || !path.ends_with(".zst"),
        "{}: its first bytes are {} (those of a .zst file are 28 b5 2f fd). Check how it was written, or "
        "rename it.",
        path, fmt::format("{:02x} {:02x} {:02x} {:02x}", start[0], start[1], start[2], start[3]));

  expected_text_ = bytes_;
  if (packing_ != Packing::none) {
    expected_text_ = 5 * bytes_;
    if (packing_ == Packing::zstd) {
      const auto says = ZSTD_getFrameContentSize(start, n);
      if (says != ZSTD_CONTENTSIZE_ERROR && says != ZSTD_CONTENTSIZE_UNKNOWN) expected_text_ = says;
    } else if (bytes_ >= 18) {
      unsigned char size[4];
      read_at(size, 4, bytes_ - 4);
      // The length modulo 2^32.
      if (const std::uint64_t says = word(size, 4); says >= bytes_ / 2) expected_text_ = says;
    }
    expected_text_ = std::min(std::max<std::uint64_t>(expected_text_, 4096), 64 * bytes_ + 4096);
  }
}

std::uint64_t InputFile::most_text_bytes() const {
  switch (packing_) {
    case Packing::none:
      return bytes_;
    case Packing::gzip:
      return 1032 * bytes_;  // the maximum ratio of deflate
    case Packing::zstd:
      return (bytes_ / 4 + 1) * (128u << 10);  // a block of 128 KiB takes at least four bytes
  }
  return bytes_;
}

void InputFile::read_at(void* into, std::size_t n, std::uint64_t at) const {
  const int error = handle_.read_at(into, n, at);
  if (error == ENODATA)
    throw IoError(
        fmt::format("{}: ends before byte {} (it had {} when it was opened). Do not write a file while it is "
                    "read.",
                    path_, at + n, bytes_));
  if (error != 0)
    throw IoError(fmt::format("{}: cannot be read at byte {} ({}). Check the disk.", path_, at, reason(error)));
}

struct TextStream::Unpacker {
  const InputFile& file;
  std::uint64_t at = 0;  // of the file
  std::vector<unsigned char> packed;
  ZSTD_DCtx* zstd = nullptr;
  ZSTD_inBuffer in{nullptr, 0, 0};
  z_stream gzip{};
  bool inside = false;  // inside a frame or member
  bool behind = false;  // behind the end of a member
  bool opened = false;
  std::exception_ptr damage;  // thrown once the text before it has been returned

  explicit Unpacker(const InputFile& f) : file(f) {
    if (file.packing() == Packing::none) return;
    packed.resize(std::min<std::uint64_t>(kPackedChunk, file.bytes()));
    if (file.packing() == Packing::zstd) {
      zstd = ZSTD_createDCtx();
      if (!zstd) throw std::bad_alloc();
      ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 31);
    } else {
      if (inflateInit2(&gzip, 15 + 16) != Z_OK) throw std::bad_alloc();
      opened = true;
    }
  }
  ~Unpacker() {
    ZSTD_freeDCtx(zstd);
    if (opened) inflateEnd(&gzip);
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  // Reads more compressed bytes; 0 at the end of the file.
  std::size_t fetch() {
    const std::size_t n = std::min<std::uint64_t>(packed.size(), file.bytes() - at);
    file.read_at(packed.data(), n, at);
    at += n;
    return n;
  }

  std::size_t read_plain(char* into, std::size_t n) {
    n = std::min<std::uint64_t>(n, file.bytes() - at);
    file.read_at(into, n, at);
    at += n;
    return n;
  }

  // Text decoded before the damage is valid.
  template <class Left>
  std::size_t until_damage(Left&& have, std::size_t (Unpacker::*unpack)()) {
    try {
      return (this->*unpack)();
    } catch (const InputError&) {
      if (have() == 0) throw;
      damage = std::current_exception();
      return have();
    }
  }

  ZSTD_outBuffer out{nullptr, 0, 0};
  std::size_t read_zstd(char* into, std::size_t n) {
    out = {into, n, 0};
    return until_damage([&] { return out.pos; }, &Unpacker::unpack_zstd);
  }
  std::size_t unpack_zstd() {
    while (out.pos < out.size) {
      if (in.pos == in.size) {
        in = {packed.data(), fetch(), 0};
        if (in.size == 0) {
          // Flush the decoder's remaining output without input.
          const std::size_t before = out.pos;
          if (inside) step();
          if (out.pos > before) continue;
          check(!inside,
                "the zstd data ends in the middle of a frame (the file has {} bytes: a download or copy was "
                "cut off). Get the file again.",
                file.bytes());
          break;
        }
      }
      step();
    }
    return out.pos;
  }
  void step() {
    const std::size_t left = ZSTD_decompressStream(zstd, &out, &in);
    check(!ZSTD_isError(left), "the zstd data is damaged before byte {} of the file ({}). Get the file again.",
          at - in.size + in.pos, ZSTD_getErrorName(left));
    inside = left != 0;
  }

  std::size_t gzip_room = 0;
  std::size_t read_gzip(char* into, std::size_t n) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
    gzip_room = std::min(n, kMost);
    gzip.next_out = reinterpret_cast<unsigned char*>(into);
    gzip.avail_out = static_cast<unsigned>(gzip_room);
    return until_damage([&] { return gzip_room - gzip.avail_out; }, &Unpacker::unpack_gzip);
  }
  std::size_t unpack_gzip() {
    while (gzip.avail_out > 0) {
      if (gzip.avail_in == 0) {
        gzip.next_in = packed.data();
        gzip.avail_in = static_cast<unsigned>(fetch());
        if (gzip.avail_in == 0) {
          check(!inside,
                "the gzip data ends early (the file has {} bytes: a download or copy was cut off). Get the "
                "file again.",
                file.bytes());
          break;
        }
      }
      if (!inside) {
        // Members may follow each other, and zeros pad the end, as tar and dd leave them; gzip -d skips them too.
        while (behind && gzip.avail_in > 0 && *gzip.next_in == 0) ++gzip.next_in, --gzip.avail_in;
        if (gzip.avail_in == 0) continue;
        inflateReset(&gzip);
        inside = true;
      }
      const int state = inflate(&gzip, Z_NO_FLUSH);
      if (state == Z_STREAM_END) {
        inside = false;
        behind = true;
        continue;
      }
      if (state == Z_MEM_ERROR) throw std::bad_alloc();
      check(state == Z_OK || state == Z_BUF_ERROR,
            "the gzip data is damaged before byte {} of the file ({}). Get the file again.", at - gzip.avail_in,
            gzip.msg ? gzip.msg : "wrong checksum");
    }
    return gzip_room - gzip.avail_out;
  }
};

TextStream::TextStream(const InputFile& file) : unpacker_(std::make_unique<Unpacker>(file)) {}
TextStream::~TextStream() = default;

std::size_t TextStream::read(char* into, std::size_t n) {
  if (n == 0) return 0;
  if (unpacker_->damage) std::rethrow_exception(unpacker_->damage);
  switch (unpacker_->file.packing()) {
    case Packing::none:
      return unpacker_->read_plain(into, n);
    case Packing::gzip:
      return unpacker_->read_gzip(into, n);
    case Packing::zstd:
      return unpacker_->read_zstd(into, n);
  }
  return 0;
}

void broadcast_text(World& world, std::string& text) {
  std::uint64_t size = text.size();
  world.broadcast(std::span(&size, 1), 0);
  text.resize(size);
  world.broadcast(std::span(text), 0);
}

Head read_head(World& world, const std::string& path, std::size_t bytes) {
  Head head;
  world.collective_try([&] {
    if (world.rank() != 0) return;
    const InputFile file(path);
    head.file_bytes = file.bytes();
    head.most_text_bytes = file.most_text_bytes();
    head.expected_text_bytes = file.expected_text_bytes();
    head.text.resize(bytes);
    TextStream stream(file);
    std::size_t have = 0;
    try {
      while (const std::size_t n = stream.read(head.text.data() + have, bytes - have)) have += n;
    } catch (const InputError& e) {
      const auto line = 1 + std::count(head.text.begin(), head.text.begin() + static_cast<std::ptrdiff_t>(have), '\n');
      throw InputError(fmt::format("{}:{}: {}", path, line, e.what()));
    }
    check(have > 0, "{}: holds no text (it unpacks to nothing). Check how it was written.", path);
    head.whole = have < bytes;
    head.text.resize(have);
    // Bytes that are no text are left as they are.
    if (head.text.substr(0, 4096).find('\0') == std::string::npos)
      unify_line_ends(head.text.data(), 0, have, head.whole);
  });
  broadcast_text(world, head.text);
  struct {
    std::uint64_t file_bytes, most, expected, whole;
  } facts{head.file_bytes, head.most_text_bytes, head.expected_text_bytes, head.whole};
  world.broadcast(std::span(&facts, 1), 0);
  head.file_bytes = facts.file_bytes;
  head.most_text_bytes = facts.most;
  head.expected_text_bytes = facts.expected;
  head.whole = facts.whole != 0;
  return head;
}

std::uint64_t text_begin(World& world, const std::string& path) {
  const Head head = read_head(world, path, std::size_t{64} << 10);
  return mark_bytes(head.text, path);
}

}  // namespace atl
