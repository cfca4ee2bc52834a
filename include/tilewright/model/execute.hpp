// What a command does to data: the functional half of the model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tilewright/config.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/ir/reduction_tree.hpp>
#include <tilewright/model/units.hpp>
#include <tilewright/program/program.hpp>
#include <vector>

namespace tilewright::inline TILEWRIGHT_ABI::model_detail {

/// The values that a command took along when it was issued.
struct issued_values {
  lanes on{};
  std::int64_t offset = 0;
  std::int64_t strides[max_rank]{};
  std::uint64_t scalars[3]{};
};

/// A tile in memory with its strides (elements) over a command's dimensions; 0 where broadcast.
struct tile_view {
  std::byte* data = nullptr;
  dtype type = dtype::none;
  std::int64_t strides[max_rank]{};
};

/// Row-major strides of `own`, aligned at the innermost dimension with a command of rank `rank`.
inline tile_view view_of(std::byte* data, dtype type, const shape& own, int rank) {
  tile_view view;
  view.data = data;
  view.type = type;
  std::int64_t stride = 1;
  for (int d = own.rank - 1; d >= 0; --d) {
    const int at = d + rank - own.rank;
    if (own[d] != 1 && at >= 0) view.strides[at] = stride;
    stride *= own[d];
  }
  return view;
}

/// One element in raw bytes, whatever the order of bytes in memory.
struct element_bytes {
  alignas(8) std::byte at[8]{};

  element_bytes() = default;
  element_bytes(dtype type, std::uint64_t bits) {
    with_element(type,
                 [&]<class T>() { tilewright::detail::store_element(at, from_bits<T>(bits)); });
  }
};

/// Calls `row(index)` for each combination of the lanes of dimensions 0 to `outer` - 1, in
/// row-major order.
template <class Row>
void for_each_row(const std::int64_t* extents, int outer, Row&& row) {
  std::int64_t index[max_rank]{};
  for (int d = 0; d < outer; ++d) {
    if (extents[d] == 0) return;
  }
  while (true) {
    row(static_cast<const std::int64_t*>(index));
    int d = outer - 1;
    for (; d >= 0; --d) {
      if (++index[d] < extents[d]) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

inline std::int64_t dot_index(const std::int64_t* index, const std::int64_t* strides, int count) {
  std::int64_t sum = 0;
  for (int d = 0; d < count; ++d) sum += index[d] * strides[d];
  return sum;
}

/// Copies `count` elements of `size` bytes between strided places.
inline void copy_elements(std::byte* to, std::int64_t to_stride, const std::byte* from,
                          std::int64_t from_stride, std::int64_t count, int size) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(count * size));
    return;
  }
  const auto copy = [&](auto width) {
    constexpr std::int64_t bytes = decltype(width)::value;
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_stride * bytes, from + i * from_stride * bytes,
                  static_cast<std::size_t>(bytes));
    }
  };
  switch (size) {
    case 1: copy(std::integral_constant<std::int64_t, 1>{}); break;
    case 2: copy(std::integral_constant<std::int64_t, 2>{}); break;
    case 4: copy(std::integral_constant<std::int64_t, 4>{}); break;
    default: copy(std::integral_constant<std::int64_t, 8>{}); break;
  }
}

/// Calls `function.template operator()<T>()` with the C++ type of an accumulator: 32 or 64 bits.
template <class Function>
void with_accumulator(dtype type, Function&& function) {
  switch (type) {
    case dtype::i32: function.template operator()<std::int32_t>(); break;
    case dtype::i64: function.template operator()<std::int64_t>(); break;
    case dtype::u32: function.template operator()<std::uint32_t>(); break;
    case dtype::u64: function.template operator()<std::uint64_t>(); break;
    case dtype::f64: function.template operator()<double>(); break;
    default: function.template operator()<float>(); break;
  }
}

/// Carries out commands on the bytes of local memory, RE and the arguments.
class executor {
 public:
  /// `inputs` and `output` are the tiles of the command's buffer operands (null for others);
  /// `memory` is the argument of a load or store.
  void run(const command& what, const issued_values& values, std::byte* const* inputs,
           std::byte* output, std::byte* memory) {
    switch (what.code) {
      case op::load: load(what, values, output, memory); break;
      case op::store: store(what, values, inputs[0], memory); break;
      case op::dot: dot(what, values, inputs, output); break;
      case op::reduce: reduce(what, values, inputs[0], output); break;
      case op::arange: arange(what, values, output); break;
      default: element_wise(what, values, inputs, output); break;
    }
  }

 private:
  static void load(const command& what, const issued_values& values, std::byte* tile,
                   const std::byte* memory) {
    const int rank = what.dims.rank;
    const std::int64_t size = size_of(what.type);
    const tile_view view = view_of(tile, what.type, what.dims, rank);
    if (what.fill && values.on.count != elements_of(what.dims)) {
      const element_bytes fill(what.type, static_cast<std::uint64_t>(what.fill_bits));
      copy_elements(tile, 1, fill.at, 0, elements_of(what.dims), static_cast<int>(size));
    }
    if (values.on.count == 0) return;
    const int outer = rank == 0 ? 0 : rank - 1;
    const std::int64_t count = rank == 0 ? 1 : values.on.extents[outer];
    for_each_row(values.on.extents, outer, [&](const std::int64_t* index) {
      const std::int64_t from = values.offset + dot_index(index, values.strides, outer);
      copy_elements(tile + dot_index(index, view.strides, outer) * size, 1, memory + from * size,
                    rank == 0 ? 1 : values.strides[outer], count, static_cast<int>(size));
    });
  }

  static void store(const command& what, const issued_values& values, const std::byte* tile,
                    std::byte* memory) {
    if (values.on.count == 0) return;
    const int rank = what.dims.rank;
    const std::int64_t size = size_of(what.type);
    const tile_view view = view_of(nullptr, what.type, what.inputs[0].dims, rank);
    const int outer = rank == 0 ? 0 : rank - 1;
    const std::int64_t count = rank == 0 ? 1 : values.on.extents[outer];
    for_each_row(values.on.extents, outer, [&](const std::int64_t* index) {
      const std::int64_t to = values.offset + dot_index(index, values.strides, outer);
      copy_elements(memory + to * size, rank == 0 ? 1 : values.strides[outer],
                    tile + dot_index(index, view.strides, outer) * size,
                    rank == 0 ? 1 : view.strides[outer], count, static_cast<int>(size));
    });
  }

  static void arange(const command& what, const issued_values& values, std::byte* output) {
    with_element(what.output.type, [&]<class T>() {
      for (std::int64_t i = 0; i < values.on.extents[0]; ++i) {
        tilewright::detail::store_element(output + i * static_cast<std::int64_t>(sizeof(T)),
                                          convert<T>(what.value + i));
      }
    });
  }

  /// Element-wise operations, casts, copies and constants, row by row; rows that follow each other
  /// in all operands are joined.
  static void element_wise(const command& what, const issued_values& values,
                           std::byte* const* inputs, std::byte* output) {
    if (values.on.count == 0) return;
    tile_view views[4];  // the output is last
    element_bytes scalars[3];
    int count = 0;
    for (; count < 3 && what.inputs[count].from != operand::source::none; ++count) {
      const operand& input = what.inputs[count];
      if (input.from == operand::source::scalar) {
        scalars[count] = element_bytes(input.type, values.scalars[count]);
        views[count].data = scalars[count].at;
        views[count].type = input.type;
      } else {
        views[count] = view_of(inputs[count], input.type, input.dims, what.dims.rank);
      }
    }
    tile_view& target = views[3];
    target = view_of(output, what.output.type, what.output.dims, what.dims.rank);

    int inner = what.dims.rank - 1;  // rows run along this dimension
    std::int64_t length = inner < 0 ? 1 : values.on.extents[inner];
    std::int64_t steps[4]{};
    for (int i = 0; i < 4; ++i) steps[i] = inner < 0 ? 0 : views[i].strides[inner];
    while (inner > 0) {
      bool joined = values.on.extents[inner] == what.dims[inner];
      for (int i = 0; i < 4; ++i) {
        if (i < count || i == 3) joined &= views[i].strides[inner - 1] == steps[i] * length;
      }
      if (!joined) break;
      --inner;
      length *= values.on.extents[inner];
    }
    const int outer = inner < 0 ? 0 : inner;
    for_each_row(values.on.extents, outer, [&](const std::int64_t* index) {
      input_row rows[3];
      for (int i = 0; i < count; ++i) {
        rows[i] = {
            views[i].data + dot_index(index, views[i].strides, outer) * size_of(views[i].type),
            steps[i]};
      }
      const output_row row{
          target.data + dot_index(index, target.strides, outer) * size_of(target.type), steps[3]};
      if (what.code == op::cast) {
        evaluate_cast_elements(views[0].type, what.type, length, rows[0], row);
      } else if (what.code == op::copy || what.code == op::constant) {
        copy_elements(row.data, row.stride, rows[0].data, rows[0].stride, length,
                      size_of(target.type));
      } else {
        evaluate_elements(what.code, what.type, length, rows, row);
      }
    });
  }

  /// The `count` elements at `from` as type `to`, in scratch memory.
  static const std::byte* widened(std::vector<std::byte>& scratch, const std::byte* from,
                                  std::int64_t stride, std::int64_t count, dtype type, dtype to) {
    const std::size_t bytes = static_cast<std::size_t>(count * size_of(to));
    if (scratch.size() < bytes) scratch.resize(bytes);
    evaluate_cast_elements(type, to, count, {from, stride}, {scratch.data(), 1});
    return scratch.data();
  }

  void reduce(const command& what, const issued_values& values, const std::byte* input,
              std::byte* output) {
    const int rank = what.dims.rank;
    const operand& source = what.inputs[0];
    const tile_view view = view_of(nullptr, source.type, source.dims, rank);
    const dtype accumulator = accumulator_type(what.output.type);
    // The other dimensions, and the strides of the result over them.
    std::int64_t extents[max_rank]{};
    std::int64_t from[max_rank]{};
    std::int64_t to[max_rank]{};
    int others = 0;
    for (int d = 0; d < rank; ++d) {
      if (d == what.axis) continue;
      extents[others] = values.on.extents[d];
      from[others] = view.strides[d];
      to[others] = 1;
      for (int e = d + 1; e < rank; ++e) {
        if (e != what.axis) to[others] *= what.dims[e];
      }
      ++others;
    }
    const std::int64_t length = values.on.extents[what.axis];
    const bool filled = what.fill && length < what.dims[what.axis];
    for_each_row(extents, others, [&](const std::int64_t* index) {
      const std::byte* const row =
          widened(left_, input + dot_index(index, from, others) * size_of(source.type),
                  view.strides[what.axis], length, source.type, accumulator);
      with_accumulator(accumulator, [&]<class T>() {
        const auto combine = [&](T x, T y) { return combined(what.combine, x, y); };
        T result = from_bits<T>(identity_of(what.combine, accumulator));
        if (length > 0) {
          result = reduce_tree<T>(
              length,
              [row](std::int64_t e) {
                return tilewright::detail::load_element<T>(
                    row + e * static_cast<std::int64_t>(sizeof(T)));
              },
              combine);
        }
        if (filled) {
          const std::uint64_t fill =
              evaluate_cast(source.type, accumulator, static_cast<std::uint64_t>(what.fill_bits));
          result = combine(result, from_bits<T>(fill));
        }
        const std::byte* const pattern = reinterpret_cast<const std::byte*>(&result);
        evaluate_cast_elements(
            accumulator, what.output.type, 1, {pattern, 1},
            {output + dot_index(index, to, others) * size_of(what.output.type), 1});
      });
    });
  }

  template <class T>
  static T combined(op how, T x, T y) {
    if (how == op::maximum) return scalar_math::maximum(x, y);
    if (how == op::minimum) return scalar_math::minimum(x, y);
    return scalar_math::add(x, y);
  }

  /// One fused multiply-add per k, ascending, on a copy of the tiles in the accumulator's type.
  void dot(const command& what, const issued_values& values, std::byte* const* inputs,
           std::byte* output) {
    const std::int64_t columns = what.dims[1];
    const std::int64_t depth = what.dims[2];
    const std::int64_t m = values.on.extents[0];
    const std::int64_t n = values.on.extents[1];
    const std::int64_t k = values.on.extents[2];
    if (m == 0 || n == 0) return;
    const dtype type = what.output.type;
    const std::byte* const left =
        widened(left_, inputs[0], 1, m * depth, what.inputs[0].type, type);
    const std::byte* const right =
        widened(right_, inputs[1], 1, k * columns, what.inputs[1].type, type);
    with_accumulator(type, [&]<class T>() {
      const std::int64_t width = static_cast<std::int64_t>(sizeof(T));
      const auto size = static_cast<std::size_t>(m * n * width);
      if (sums_.size() < size) sums_.resize(size);
      std::memset(sums_.data(), 0, size);
      for (std::int64_t i = 0; i < m && inputs[2]; ++i) {
        std::memcpy(sums_.data() + i * n * width, inputs[2] + i * columns * width,
                    static_cast<std::size_t>(n * width));
      }
      // Copying bytes into a fresh array of them has made objects of their type there.
      multiply<T>({reinterpret_cast<const T*>(left), depth},
                  {reinterpret_cast<const T*>(right), columns},
                  {reinterpret_cast<T*>(sums_.data()), n}, m, n, k);
      for (std::int64_t i = 0; i < m; ++i) {
        std::memcpy(output + i * columns * width, sums_.data() + i * n * width,
                    static_cast<std::size_t>(n * width));
      }
    });
  }

  /// Row-major elements, the rows `stride` apart.
  template <class T>
  struct matrix {
    T* data;
    std::int64_t stride;
    T* at(std::int64_t row, std::int64_t column) const { return data + row * stride + column; }
  };

  // The sums of a block of this size stay in registers for all of k.
  static constexpr int block_rows = 4;
  static constexpr int block_columns = 64;

  template <class T>
  static void multiply(const matrix<const T>& left, const matrix<const T>& right,
                       const matrix<T>& sums, std::int64_t m, std::int64_t n, std::int64_t k) {
    for (std::int64_t j = 0; j < n; j += block_columns) {
      const int width = static_cast<int>(std::min<std::int64_t>(block_columns, n - j));
      std::int64_t i = 0;
      for (; i + block_rows <= m; i += block_rows) {
        multiply_rows<block_rows, T>(left, right, sums, i, j, width, k);
      }
      for (; i < m; ++i) multiply_rows<1, T>(left, right, sums, i, j, width, k);
    }
  }
  template <int Rows, class T>
  static void multiply_rows(const matrix<const T>& left, const matrix<const T>& right,
                            const matrix<T>& sums, std::int64_t i, std::int64_t j, int width,
                            std::int64_t k) {
    if (width == block_columns) {
      multiply_block<Rows, T>(left, right, sums, i, j, std::integral_constant<int, block_columns>{},
                              k);
    } else {
      multiply_block<Rows, T>(left, right, sums, i, j, width, k);
    }
  }
  template <int Rows, class T, class Width>
  static void multiply_block(const matrix<const T>& left, const matrix<const T>& right,
                             const matrix<T>& sums, std::int64_t i, std::int64_t j, Width width,
                             std::int64_t k) {
    T block[static_cast<std::size_t>(Rows)][static_cast<std::size_t>(block_columns)];
    for (int r = 0; r < Rows; ++r) {
      for (int c = 0; c < width; ++c) block[r][c] = *sums.at(i + r, j + c);
    }
    for (std::int64_t e = 0; e < k; ++e) {
      const T* const row = right.at(e, j);
      for (int r = 0; r < Rows; ++r) {
        const T x = *left.at(i + r, e);
        for (int c = 0; c < width; ++c) {
          block[r][c] = scalar_math::fused_multiply_add(x, row[c], block[r][c]);
        }
      }
    }
    for (int r = 0; r < Rows; ++r) {
      for (int c = 0; c < width; ++c) *sums.at(i + r, j + c) = block[r][c];
    }
  }

  std::vector<std::byte> left_;
  std::vector<std::byte> right_;
  std::vector<std::byte> sums_;
};

}  // namespace tilewright::inline TILEWRIGHT_ABI::model_detail
