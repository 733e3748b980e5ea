// SPDX-License-Identifier: Apache-2.0
#include "cusparse.hpp"

#include <dlfcn.h>

#include <limits>

namespace atl::cli {
namespace {

// Numbers of cusparse.h and library_types.h (CUDA 12 and 13).
constexpr int kNotTransposed = 0, kIndex32 = 2, kFromZero = 0, kFloat32 = 0, kRowMajor = 2;
struct Algorithm {
  const char* name;
  int number;
};
constexpr Algorithm kAlgorithms[] = {{"default", 0}, {"CSR_ALG1", 4}, {"CSR_ALG2", 6}, {"CSR_ALG3", 12}};
constexpr float kOne = 1, kZero = 0;

}  // namespace

struct Cusparse::Library {
  using Product = int (*)(void* handle, int op_a, int op_b, const void* alpha, void* a, void* b, const void* beta,
                          void* c, int type, int algorithm, void* scratch);
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*set_stream)(void* handle, StreamHandle stream);
  int (*create_csr)(void** matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, void* offsets,
                    void* column_indices, void* values, int offset_type, int index_type, int base, int type);
  int (*destroy_sparse)(void* matrix);
  int (*create_dense)(void** matrix, std::int64_t rows, std::int64_t columns, std::int64_t stride, void* values,
                      int type, int order);
  int (*destroy_dense)(void* matrix);
  int (*scratch_bytes)(void* handle, int op_a, int op_b, const void* alpha, void* a, void* b, const void* beta, void* c,
                       int type, int algorithm, std::size_t* bytes);
  Product preprocess, multiply;

  /// Never closed: the library has threads and state of its own.
  static std::unique_ptr<Library> open(std::string& why) {
    void* const file = dlopen("libcusparse.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!file) {
      why = dlerror();
      return nullptr;
    }
    auto out = std::make_unique<Library>();
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
      all = all && function;
    };
    find(out->create, "cusparseCreate");
    find(out->destroy, "cusparseDestroy");
    find(out->set_stream, "cusparseSetStream");
    find(out->create_csr, "cusparseCreateCsr");
    find(out->destroy_sparse, "cusparseDestroySpMat");
    find(out->create_dense, "cusparseCreateDnMat");
    find(out->destroy_dense, "cusparseDestroyDnMat");
    find(out->scratch_bytes, "cusparseSpMM_bufferSize");
    find(out->preprocess, "cusparseSpMM_preprocess");
    find(out->multiply, "cusparseSpMM");
    if (all) return out;
    why = "libcusparse.so.12 lacks functions (CUDA 12 and 13 have them)";
    return nullptr;
  }
};

/// The descriptors of one algorithm. Each has a description of the matrix of its own, since the library keeps what it
/// finds out beside that.
struct Cusparse::Prepared {
  Prepared(const Library& library, Cusparse& peer, const Algorithm& algorithm, DeviceView<const float> b,
           DeviceView<float> c)
      : library(library), name(algorithm.name), number(algorithm.number) {
    std::size_t bytes = 0;
    if (library.create_csr(&a, peer.rows_, peer.columns_, static_cast<std::int64_t>(peer.places_.size()),
                           peer.offsets_.data(), peer.places_.data(), peer.values_.data(), kIndex32, kIndex32,
                           kFromZero, kFloat32) != 0 ||
        library.create_dense(&of_b, b.rows, b.cols, b.stride, const_cast<float*>(b.data), kFloat32, kRowMajor) != 0 ||
        library.create_dense(&of_c, c.rows, c.cols, c.stride, c.data, kFloat32, kRowMajor) != 0 ||
        library.scratch_bytes(peer.handle_, kNotTransposed, kNotTransposed, &kOne, a, of_b, &kZero, of_c, kFloat32,
                              number, &bytes) != 0)
      return;
    scratch = DeviceArray<std::byte>(peer.stream_.device(), bytes + 1);
    ready = library.preprocess(peer.handle_, kNotTransposed, kNotTransposed, &kOne, a, of_b, &kZero, of_c, kFloat32,
                               number, scratch.data()) == 0;
  }
  Prepared(const Prepared&) = delete;
  ~Prepared() {
    if (of_c) library.destroy_dense(of_c);
    if (of_b) library.destroy_dense(of_b);
    if (a) library.destroy_sparse(a);
  }

  const Library& library;
  const char* const name;
  const int number;
  void* a = nullptr;
  void* of_b = nullptr;
  void* of_c = nullptr;
  DeviceArray<std::byte> scratch;
  bool ready = false;
};

std::unique_ptr<Cusparse> Cusparse::open(const Stream& stream, const SparseMatrix<float>& a, std::string& why) {
  const Edge nonzeros = a.pattern().nonzeros();
  if (nonzeros > std::numeric_limits<std::int32_t>::max()) {
    why = "the matrix has more nonzeros than 32-bit offsets count";
    return nullptr;
  }
  auto library = Library::open(why);
  if (!library) return nullptr;
  std::unique_ptr<Cusparse> out(new Cusparse(stream, std::move(library)));
  if (out->library_->create(&out->handle_) != 0 || out->library_->set_stream(out->handle_, stream) != 0) {
    why = "it does not start";
    return nullptr;
  }
  std::vector<std::int32_t> offsets(a.offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int32_t>(a.offsets[i]);
  std::vector<float> ones;
  if (a.values.empty()) ones.assign(static_cast<std::size_t>(nonzeros), 1.0f);
  out->rows_ = a.rows;
  out->columns_ = a.columns;
  out->offsets_ = uploaded(stream, std::span<const std::int32_t>(offsets));
  out->places_ = uploaded(stream, std::span<const Local>(a.column_indices.data(), a.column_indices.size()));
  out->values_ = uploaded(
      stream, ones.empty() ? std::span<const float>(a.values.data(), a.values.size()) : std::span<const float>(ones));
  stream.wait();  // before the host's copies go
  return out;
}

Cusparse::Cusparse(const Stream& stream, std::unique_ptr<Library> library)
    : stream_(stream), library_(std::move(library)) {}

Cusparse::~Cusparse() {
  prepared_.clear();
  if (handle_) library_->destroy(handle_);
}

std::vector<const char*> Cusparse::prepare(DeviceView<const float> b, DeviceView<float> c) {
  prepared_.clear();
  std::vector<const char*> names;
  for (const Algorithm& algorithm : kAlgorithms) {
    auto prepared = std::make_unique<Prepared>(*library_, *this, algorithm, b, c);
    if (!prepared->ready) continue;
    names.push_back(algorithm.name);
    prepared_.push_back(std::move(prepared));
  }
  return names;
}

void Cusparse::multiply(std::size_t algorithm) {
  const Prepared& p = *prepared_[algorithm];
  const int status = library_->multiply(handle_, kNotTransposed, kNotTransposed, &kOne, p.a, p.of_b, &kZero, p.of_c,
                                        kFloat32, p.number, p.scratch.data());
  if (status != 0)
    throw DeviceError(
        fmt::format("cuSPARSE, {}: status {} (it refused a product that it had prepared). Leave its library out of the "
                    "library path.",
                    p.name, status));
}

}  // namespace atl::cli
