// The obviously right, slow way to run a graph: node by node, element by element, one program after
// the other. Every other way to run is checked against it, and so are the passes, because it runs
// graphs before and after them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <tilewright/error.hpp>
#include <tilewright/ir/evaluate.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/ir/reduction_tree.hpp>
#include <tilewright/lang/trace.hpp>
#include <tilewright/launch/arguments.hpp>
#include <tilewright/launch/bounds.hpp>
#include <tilewright/launch/grid.hpp>
#include <tilewright/passes/poison_masked_lanes.hpp>

namespace tilewright::reference {

/// The elements of a block as bit patterns (`to_bits`), row-major. Of pointers, how many elements
/// they lie behind the start of the argument that they come from.
using patterns = Eigen::Array<std::uint64_t, Eigen::Dynamic, 1>;

/// Position in a block of shape `from` that element `index` of a block of shape `to` reads when
/// `from` is broadcast to `to`.
inline std::int64_t broadcast_index(const shape& from, const shape& to, std::int64_t index) {
  std::int64_t position = 0;
  std::int64_t stride = 1;
  for (int d = 1; d <= from.rank; ++d) {  // innermost first
    const std::int64_t coordinate = index % to[to.rank - d];
    index /= to[to.rank - d];
    if (from[from.rank - d] != 1) position += coordinate * stride;
    stride *= from[from.rank - d];
  }
  return position;
}

/// Runs programs of one launch. After a program, the value of every node can be looked at.
///
/// Each load and store is checked before it reads or writes anything: one that leaves an argument of
/// known size fails, and names its line and the elements.
class machine {
 public:
  /// `kernel` and `arguments` must outlive the machine. Fails (`tilewright::fail`) for a graph that
  /// carries an error, an impossible grid, and arguments that don't fit the graph.
  machine(const graph& kernel, const grid& programs, std::span<const argument> arguments)
      : graph_(kernel),
        grid_(programs),
        arguments_(arguments),
        values_(static_cast<std::size_t>(kernel.size())),
        origins_(static_cast<std::size_t>(kernel.size())) {
    if (kernel.error) fail(sentence_of(kernel.error.what));
    if (programs.problem() != nullptr) fail(programs.problem());
    if (std::ssize(arguments) != kernel.argument_count) {
      fail("the number of arguments differs from the number of the kernel's parameters");
    }
    for (const node& n : kernel.nodes) {
      if (n.code != op::argument) continue;
      const argument& given = arguments[static_cast<std::size_t>(n.value)];
      check(n, given);
      if (programs.programs() > 0 && given.pointer && given.address == nullptr &&
          given.elements != 0) {
        fail("the interpreter needs memory behind every pointer");
      }
    }
  }

  /// Runs program number `program` of the grid, x fastest.
  void run(std::int64_t program) {
    program_ = program;
    run_nodes(0, graph_.size());
  }

  /// What node `id` held last.
  const patterns& value(node_id id) const { return values_[static_cast<std::size_t>(id)]; }

 private:
  static void check(const node& parameter, const argument& given) {
    if (parameter.pointer != given.pointer || parameter.type != given.type) {
      fail("an argument's type differs from the kernel's parameter");
    }
  }

  patterns& value_of(node_id id) { return values_[static_cast<std::size_t>(id)]; }
  /// Position of the argument that the pointers of node `id` come from.
  std::int64_t& origin_of(node_id id) { return origins_[static_cast<std::size_t>(id)]; }
  std::int64_t origin_of(node_id id) const { return origins_[static_cast<std::size_t>(id)]; }

  /// Value of node `id`, broadcast to `to`.
  patterns broadcast_value(node_id id, const shape& to) const {
    const shape& from = graph_[id].dims;
    if (from == to) return value(id);
    patterns result(elements_of(to));
    for (std::int64_t i = 0; i < result.size(); ++i) {
      result[i] = value(id)[broadcast_index(from, to, i)];
    }
    return result;
  }

  std::int64_t scalar(node_id id) const {
    return static_cast<std::int64_t>(evaluate_cast(graph_[id].type, dtype::i64, value(id)[0]));
  }

  void run_nodes(node_id first, node_id last) {
    for (node_id id = first; id < last; ++id) {
      const node& n = graph_[id];
      if (n.code == op::loop) {
        run_loop(id);
        id = static_cast<node_id>(n.value);
      } else if (n.code == op::store) {
        run_store(n);
      } else if (n.code != op::induction && n.code != op::phi) {  // these are set by run_loop
        value_of(id) = visible(n, result_of(n));
        if (n.pointer) origin_of(id) = n.code == op::argument ? n.value : origin_of(n.operand(0));
      }
    }
  }

  void run_loop(node_id loop) {
    const node& n = graph_[loop];
    const node_id end = static_cast<node_id>(n.value);
    const std::int64_t first = scalar(n.operand(0));
    const std::int64_t last = scalar(n.operand(1));
    const std::int64_t step = scalar(n.operand(2));
    if (step == 0) fail(sentence_of(code::zero_step));

    const node_id induction = loop + 1;
    std::vector<node_id> phis;
    for_each_phi(graph_, loop, [&](node_id phi) { phis.push_back(phi); });
    advance(phis, 0);
    for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) {
      value_of(induction) = patterns::Constant(1, pattern(graph_[induction].type, i));
      run_nodes(loop + 1, end);
      advance(phis, 1);
    }
  }

  /// Gives all phis the value of their operand `from` (0: initial, 1: next) at once: one may be
  /// the next value of another.
  void advance(const std::vector<node_id>& phis, int from) {
    std::vector<patterns> values;
    std::vector<std::int64_t> origins;
    for (const node_id phi : phis) {
      values.push_back(broadcast_value(graph_[phi].operand(from), graph_[phi].dims));
      origins.push_back(origin_of(graph_[phi].operand(from)));
    }
    for (std::size_t i = 0; i < phis.size(); ++i) {
      value_of(phis[i]) = visible(graph_[phis[i]], values[i]);
      origin_of(phis[i]) = origins[i];
    }
  }

  /// `result` of `n` with poison in the lanes that propagate_extent says nobody looks at.
  patterns visible(const node& n, patterns result) const {
    for (std::int64_t i = 0; i < result.size(); ++i) {
      if (!within(n.extents, n.dims, i)) result[i] = poison_bits(n.type);
    }
    return result;
  }

  /// Whether element `index` of a block of shape `dims` is among the leading lanes that `extents`
  /// count.
  bool within(const node_id (&extents)[max_rank], const shape& dims, std::int64_t index) const {
    for (int d = dims.rank - 1; d >= 0; --d) {
      if (index % dims[d] >= count(extents[d], dims[d])) return false;
      index /= dims[d];
    }
    return true;
  }

  /// The number that the scalar node `extent` gives, or `all` if there is no such node.
  std::int64_t count(node_id extent, std::int64_t all) const {
    return extent == no_node ? all : scalar(extent);
  }

  static std::uint64_t pattern(dtype type, std::int64_t integer) {
    return evaluate_cast(dtype::i64, type, static_cast<std::uint64_t>(integer));
  }

  patterns result_of(const node& n) const {
    switch (n.code) {
      case op::constant: return full(n, static_cast<std::uint64_t>(n.value));
      case op::argument: return full(n, argument_pattern(n));
      case op::program_id: return full(n, pattern(n.type, grid_.index(program_, axis(n))));
      case op::num_programs:
        return full(n, pattern(n.type, grid_.axes[static_cast<std::size_t>(axis(n))]));
      case op::arange: return arange(n);
      case op::broadcast:
      case op::copy: return broadcast_value(n.operand(0), n.dims);
      case op::expand_dims: return value(n.operand(0));
      case op::cast: return cast(n);
      case op::add_pointer: return add_pointer(n);
      case op::load: return load(n);
      case op::dot: return dot(n);
      case op::reduce: return reduce(n);
      case op::store:
      case op::loop:
      case op::induction:
      case op::phi:
      case op::end_loop: return {};
      default: return elementwise(n);
    }
  }

  static int axis(const node& n) { return static_cast<int>(n.value); }

  static patterns full(const node& n, std::uint64_t bits) {
    return patterns::Constant(elements_of(n.dims), bits);
  }

  std::uint64_t argument_pattern(const node& n) const {
    const argument& given = arguments_[static_cast<std::size_t>(n.value)];
    return given.pointer ? 0 : given.bits;
  }

  static patterns arange(const node& n) {
    patterns result(elements_of(n.dims));
    for (std::int64_t i = 0; i < result.size(); ++i) result[i] = pattern(n.type, n.value + i);
    return result;
  }

  patterns cast(const node& n) const {
    patterns result = broadcast_value(n.operand(0), n.dims);
    const dtype from = graph_[n.operand(0)].type;
    for (std::uint64_t& bits : result) bits = evaluate_cast(from, n.type, bits);
    return result;
  }

  patterns add_pointer(const node& n) const {
    patterns result = broadcast_value(n.operand(0), n.dims);
    const patterns offsets = broadcast_value(n.operand(1), n.dims);
    for (std::int64_t i = 0; i < result.size(); ++i) {
      result[i] += evaluate_cast(graph_[n.operand(1)].type, dtype::i64, offsets[i]);
    }
    return result;
  }

  patterns elementwise(const node& n) const {
    const op_kind kind = info_of(n.code).kind;
    const dtype type = kind == op_kind::compare ? graph_[n.operand(0)].type : n.type;
    patterns operands[3];
    for (int i = 0; i < arity_of(kind); ++i) operands[i] = broadcast_value(n.operand(i), n.dims);
    patterns result(elements_of(n.dims));
    for (std::int64_t i = 0; i < result.size(); ++i) {
      std::uint64_t bits[3] = {};
      for (int k = 0; k < arity_of(kind); ++k) bits[k] = operands[k][i];
      result[i] = evaluate(n.code, type, bits[0], bits[1], bits[2]);
    }
    return result;
  }

  patterns dot(const node& n) const {
    const node& left = graph_[n.operand(0)];
    const node& right = graph_[n.operand(1)];
    const std::int64_t rows = n.dims[0];
    const std::int64_t columns = n.dims[1];
    const std::int64_t inner = left.dims[1];
    const std::int64_t used = count(n.extents[2], inner);  // products behind it are left out
    patterns result = broadcast_value(n.operand(2), n.dims);
    with_element(n.type, [&]<class T>() {
      if constexpr (!std::is_same_v<T, bool>) {
        const auto widened = [](const patterns& from, dtype type) {
          Eigen::Array<T, Eigen::Dynamic, 1> to(from.size());
          for (std::int64_t i = 0; i < to.size(); ++i) {
            to[i] = from_bits<T>(evaluate_cast(type, dtype_v<T>, from[i]));
          }
          return to;
        };
        const auto a = widened(value(n.operand(0)), left.type);
        const auto b = widened(value(n.operand(1)), right.type);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            T sum = from_bits<T>(result[i * columns + j]);
            for (std::int64_t k = 0; k < used; ++k) {
              sum = scalar_math::fused_multiply_add(a[i * inner + k], b[k * columns + j], sum);
            }
            result[i * columns + j] = to_bits(sum);
          }
        }
      }
    });
    return result;
  }

  patterns reduce(const node& n) const {
    const node& source = graph_[n.operand(0)];
    const patterns& from = value(n.operand(0));
    const dtype accumulator = accumulator_type(n.type);
    const std::int64_t all = source.dims[axis(n)];
    // The elements behind this extent are one value, which is combined once, at the end.
    const std::int64_t used = count(n.extents[n.dims.rank], all);
    const auto combine = [&](std::uint64_t x, std::uint64_t y) {
      return evaluate(n.combine, accumulator, x, y);
    };
    std::int64_t stride = 1;  // between neighbours along the axis
    for (int d = axis(n) + 1; d < source.dims.rank; ++d) stride *= source.dims[d];
    patterns result(elements_of(n.dims));
    for (std::int64_t i = 0; i < result.size(); ++i) {
      const std::int64_t first = i / stride * stride * all + i % stride;
      const auto element = [&](std::int64_t e) {
        return evaluate_cast(source.type, accumulator, from[first + e * stride]);
      };
      std::uint64_t total = 0;
      if (used > 0) total = reduce_tree<std::uint64_t>(used, element, combine);
      if (used < all) {
        const access& padded = graph_.accesses[static_cast<std::int32_t>(source.value)];
        const std::uint64_t padding =
            evaluate_cast(source.type, accumulator, static_cast<std::uint64_t>(padded.fill_bits));
        total = used > 0 ? combine(total, padding) : padding;
      }
      result[i] = evaluate_cast(accumulator, n.type, total);
    }
    return result;
  }

  // ---- memory ----

  /// The access of a load or store; nullptr if it goes through a block of pointers.
  const access* access_of(const node& n) const {
    return n.value < 0 ? nullptr : &graph_.accesses[static_cast<std::int32_t>(n.value)];
  }

  /// The argument that a load or store reads or writes.
  const argument& argument_of(const node& n) const {
    return arguments_[static_cast<std::size_t>(position_of(n))];
  }
  std::int64_t position_of(const node& n) const {
    const access* structured = access_of(n);
    return origin_of(structured == nullptr ? n.operand(0) : structured->base);
  }

  /// Per lane of a load or store, how many elements behind the start of its argument it lies.
  patterns offsets_of(const node& n) const {
    const access* structured = access_of(n);
    if (structured == nullptr) return broadcast_value(n.operand(0), n.dims);
    patterns result(elements_of(n.dims));
    for (std::int64_t i = 0; i < result.size(); ++i) {
      std::uint64_t element = static_cast<std::uint64_t>(count(structured->offset, 0));
      std::int64_t rest = i;
      for (int d = n.dims.rank - 1; d >= 0; --d) {
        const node_id stride = structured->strides[static_cast<std::size_t>(d)];
        element += static_cast<std::uint64_t>(rest % n.dims[d]) *
                   static_cast<std::uint64_t>(count(stride, 0));
        rest /= n.dims[d];
      }
      result[i] = element;
    }
    return result;
  }

  /// Fails if a lane of a load or store that takes part lies outside of its argument.
  void check_access(const node& n, const patterns& offsets, const patterns& active) const {
    element_range touched;
    for (std::int64_t i = 0; i < offsets.size(); ++i) {
      if (active[i] != 0) touched.take(static_cast<std::int64_t>(offsets[i]));
    }
    check_bounds("interpreter", n, program_, position_of(n), argument_of(n), touched);
  }

  /// 1 for the lanes of a load or store that take part: those within the extents and not masked.
  patterns active_lanes(const node& n, node_id mask) const {
    patterns result = mask == no_node ? patterns::Constant(elements_of(n.dims), 1)
                                      : broadcast_value(mask, n.dims);
    if (const access* structured = access_of(n)) {
      for (std::int64_t i = 0; i < result.size(); ++i) {
        if (!within(structured->extents, n.dims, i)) result[i] = 0;
      }
    }
    return result;
  }

  /// Address of the element that lies `offset` elements behind the start of `given`.
  static std::byte* address(const argument& given, std::uint64_t offset) {
    const std::uint64_t bytes = offset * static_cast<std::uint64_t>(size_of(given.type));
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(given.address) + bytes);
  }
  static std::uint64_t read(const argument& from, std::uint64_t offset) {
    return with_element(from.type, [&]<class T>() {
      return to_bits(tilewright::detail::load_element<T>(address(from, offset)));
    });
  }
  static void write(const argument& to, std::uint64_t offset, std::uint64_t bits) {
    with_element(to.type, [&]<class T>() {
      tilewright::detail::store_element(address(to, offset), from_bits<T>(bits));
    });
  }

  patterns load(const node& n) const {
    const access* structured = access_of(n);
    const patterns offsets = offsets_of(n);
    const patterns active = active_lanes(n, n.operand(1));
    check_access(n, offsets, active);
    const argument& memory = argument_of(n);
    patterns result = patterns::Zero(offsets.size());
    if (n.operand(2) != no_node) {
      result = broadcast_value(n.operand(2), n.dims);
    } else if (structured != nullptr) {
      result.setConstant(static_cast<std::uint64_t>(structured->fill_bits));
    }
    for (std::int64_t i = 0; i < result.size(); ++i) {
      if (active[i] != 0) {
        result[i] = read(memory, offsets[i]);
      } else if (structured != nullptr && !structured->fill &&
                 !within(structured->extents, n.dims, i)) {
        result[i] = poison_bits(n.type);
      }
    }
    return result;
  }

  void run_store(const node& n) {
    const patterns offsets = offsets_of(n);
    const patterns active = active_lanes(n, n.operand(2));
    check_access(n, offsets, active);
    const argument& memory = argument_of(n);
    const patterns values = broadcast_value(n.operand(1), n.dims);
    for (std::int64_t i = 0; i < values.size(); ++i) {  // ascending: the highest lane wins
      if (active[i] != 0) write(memory, offsets[i], values[i]);
    }
  }

  const graph& graph_;
  grid grid_;
  std::span<const argument> arguments_;
  std::vector<patterns> values_;
  std::vector<std::int64_t> origins_;  // of pointers
  std::int64_t program_ = 0;
};

/// Runs all programs of `programs` in order, x fastest. Works on the graph as traced and on graphs
/// after simplify, find_structured_access and propagate_extent; lanes that a pass declared
/// invisible hold poison, so that a wrong declaration shows. Fails as `machine` does.
inline void interpret(const graph& kernel, const grid& programs,
                      std::span<const argument> arguments) {
  machine runner(kernel, programs, arguments);
  for (std::int64_t p = 0; p < programs.programs(); ++p) runner.run(p);
}

/// Launch target: `launch<Kernel>(reference::interpreter, grid, arguments...)`.
struct interpreter_target {
  template <class Kernel>
  void run(const grid& programs, std::span<const argument> arguments) const {
    static const graph traced = trace<Kernel>();
    interpret(traced, programs, arguments);
  }
};
inline constexpr interpreter_target interpreter{};

}  // namespace tilewright::reference
