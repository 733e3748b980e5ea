// SPDX-License-Identifier: Apache-2.0
#include "cusparse.hpp"

#include <dlfcn.h>

#include <array>
#include <limits>

namespace atl::cli {
namespace {

// Numbers of cusparse.h and library_types.h (CUDA 11 to 13).
constexpr int kNotTransposed = 0, kIndex32 = 2, kFromZero = 0, kFloat32 = 0, kRowMajor = 2;
struct Algorithm {
  const char* name;
  int number;
};
constexpr std::array<Algorithm, Cusparse::kAlgorithms> kAll{
    {{"default", 0}, {"CSR_ALG1", 4}, {"CSR_ALG2", 6}, {"CSR_ALG3", 12}}};

void check_status(int status, const char* what) {
  check(status == 0, "cuSPARSE, {}: status {} (it refused). Leave its library out of the library path to go without.",
        what, status);
}

}  // namespace

struct Cusparse::Library {
  using Product = int (*)(void* handle, int op_a, int op_b, const void* alpha, void* a, void* b, const void* beta,
                          void* c, int type, int algorithm, void* scratch);
  int (*create)(void** handle);
  int (*destroy)(void* handle);
  int (*set_stream)(void* handle, StreamHandle stream);
  int (*create_csr)(void** matrix, std::int64_t rows, std::int64_t columns, std::int64_t nonzeros, void* offsets,
                    void* places, void* values, int offset_type, int place_type, int base, int type);
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

/// A dense factor or result as the library describes it.
struct Cusparse::Dense {
  template <class T>
  Dense(const Library& library, DeviceView<T> view) : library(library) {
    check_status(library.create_dense(&matrix, view.rows, view.cols, view.stride,
                                      const_cast<std::remove_const_t<T>*>(view.data), kFloat32, kRowMajor),
                 "a dense matrix");
  }
  Dense(const Dense&) = delete;
  ~Dense() { library.destroy_dense(matrix); }

  const Library& library;
  void* matrix = nullptr;
};

std::unique_ptr<Cusparse> Cusparse::open(const Stream& stream, const SparseMatrix<float>& a, std::string& why) {
  if (a.pattern().nonzeros() > std::numeric_limits<std::int32_t>::max()) {
    why = "the matrix has more nonzeros than 32-bit offsets count";
    return nullptr;
  }
  auto library = Library::open(why);
  if (!library) return nullptr;
  return std::unique_ptr<Cusparse>(new Cusparse(stream, a, std::move(library)));
}

Cusparse::Cusparse(const Stream& stream, const SparseMatrix<float>& a, std::unique_ptr<Library> library)
    : stream_(stream),
      library_(std::move(library)),
      rows_(a.rows),
      columns_(a.columns),
      nonzeros_(a.pattern().nonzeros()),
      scratch_(kAlgorithms) {
  std::vector<std::int32_t> offsets(a.offsets.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = static_cast<std::int32_t>(a.offsets[i]);
  std::vector<float> ones;
  if (a.values.empty()) ones.assign(static_cast<std::size_t>(nonzeros_), 1.0f);
  offsets_ = uploaded(stream, std::span<const std::int32_t>(offsets));
  places_ = uploaded(stream, std::span<const Local>(a.places.data(), a.places.size()));
  values_ = uploaded(stream, ones.empty() ? std::span<const float>(a.values.data(), a.values.size())
                                          : std::span<const float>(ones));
  stream.wait();
  check_status(library_->create(&handle_), "starting");
  check_status(library_->set_stream(handle_, stream), "choosing a stream");
  check_status(library_->create_csr(&matrix_, rows_, columns_, nonzeros_, offsets_.data(), places_.data(),
                                    values_.data(), kIndex32, kIndex32, kFromZero, kFloat32),
               "a sparse matrix");
}

Cusparse::~Cusparse() {
  if (matrix_) library_->destroy_sparse(matrix_);
  if (handle_) library_->destroy(handle_);
}

const char* Cusparse::name(int algorithm) { return kAll[static_cast<std::size_t>(algorithm)].name; }

bool Cusparse::prepare(int algorithm, DeviceView<const float> b, DeviceView<float> c) {
  const float one = 1, zero = 0;
  const Dense dense_b(*library_, b), dense_c(*library_, c);
  const int number = kAll[static_cast<std::size_t>(algorithm)].number;
  std::size_t bytes = 0;
  if (library_->scratch_bytes(handle_, kNotTransposed, kNotTransposed, &one, matrix_, dense_b.matrix, &zero,
                              dense_c.matrix, kFloat32, number, &bytes) != 0)
    return false;
  auto& scratch = scratch_[static_cast<std::size_t>(algorithm)];
  scratch = {};
  scratch = DeviceArray<std::byte>(stream_.device(), bytes + 1);
  return library_->preprocess(handle_, kNotTransposed, kNotTransposed, &one, matrix_, dense_b.matrix, &zero,
                              dense_c.matrix, kFloat32, number, scratch.data()) == 0;
}

void Cusparse::multiply(int algorithm, DeviceView<const float> b, DeviceView<float> c) {
  const float one = 1, zero = 0;
  const Dense dense_b(*library_, b), dense_c(*library_, c);
  check_status(library_->multiply(handle_, kNotTransposed, kNotTransposed, &one, matrix_, dense_b.matrix, &zero,
                                  dense_c.matrix, kFloat32, kAll[static_cast<std::size_t>(algorithm)].number,
                                  scratch_[static_cast<std::size_t>(algorithm)].data()),
               "a product");
}

}  // namespace atl::cli
