// What the language's operations return, and what it accepts: compiling is passing.
#include <cstdint>
#include <type_traits>

#include <tilewright/lang/trace.hpp>

namespace tilewright {
namespace {

template <class Want, class Got>
constexpr void expect(const Got&) {
  static_assert(std::is_same_v<Want, Got>);
}

using b1 = block<bool, 4>;
using b8 = block<std::int8_t, 4>;
using b16 = block<std::int16_t, 4>;
using b32 = block<std::int32_t, 4>;
using b64 = block<std::int64_t, 4>;
using bu8 = block<std::uint8_t, 4>;
using bu32 = block<std::uint32_t, 4>;
using bh = block<f16, 4>;
using bb = block<bf16, 4>;
using bf = block<float, 4>;
using bd = block<double, 4>;

struct promotion {
  static constexpr void body(lang& tl) {
    const b1 c = tl.zeros<bool, 4>();
    const b8 i8v = tl.zeros<std::int8_t, 4>();
    const b16 i16v = tl.zeros<std::int16_t, 4>();
    const b32 i = tl.arange<4>();
    const b64 l = i.to<std::int64_t>();
    const bu8 u8v = tl.zeros<std::uint8_t, 4>();
    const bu32 u = tl.zeros<std::uint32_t, 4>();
    const bh h = tl.zeros<f16, 4>();
    const bb b = tl.zeros<bf16, 4>();
    const bf f = tl.zeros<float, 4>();
    const bd d = tl.zeros<double, 4>();

    // Blocks with blocks.
    expect<b32>(i8v + i);
    expect<b16>(u8v * i16v);
    expect<bu32>(u - i);
    expect<b64>(u & l);
    expect<bh>(h + i);
    expect<bh>(h + b);
    expect<bf>(b + i);
    expect<bb>(b * b);
    expect<bf>(h + f);
    expect<bd>(b - d);
    expect<b1>(c + c);
    // Division of floats is done in f32, of integers in integers.
    expect<bf>(h / h);
    expect<bf>(b / b);
    expect<bf>(h % h);
    expect<bd>(d / h);
    expect<b32>(i / i);
    expect<b64>(i % l);
    // Comparisons and logic give i1.
    expect<b1>(h < f);
    expect<b1>(i == 3);
    expect<b1>((i < 3) && (i > 0));
    expect<b1>((i < 3) || !c);
    // Literals are weak, whichever side they stand on.
    expect<b8>(i8v + 1);
    expect<b8>(1 + i8v);
    expect<bh>(h * 2.0);
    expect<bh>(2.0f - h);
    expect<bb>(b + 1);
    expect<bu8>(u8v >> 1);
    expect<b64>(l * 2);
    expect<b1>(c + true);
    // A literal of a higher kind keeps its own type.
    expect<bf>(i * 0.5);
    expect<bf>(l + 1.0f);
    expect<b32>(c + 1);
    // So they are in maximum, minimum and where.
    expect<bh>(tl.maximum(h, 0.0));
    expect<bh>(tl.maximum(h, 0));
    expect<b8>(tl.minimum(i8v, 6));
    expect<bb>(tl.where(c, b, 0.0f));
    expect<bh>(tl.where(c, 0, h));
    expect<block<std::int32_t>>(tl.where(tl.program_id(0) < 3, 1, 2));
    expect<bf>(tl.where(c, i, 0.5));
    // Conversion and unary operations.
    expect<bb>(f.to<bf16>());
    expect<b1>(f.to<bool>());
    expect<bh>(-h);
    expect<b8>(~i8v);
    expect<bh>(tl.exp(h));
    // Assignment keeps the type of the variable.
    auto x = tl.zeros<f16, 4>();
    x += 1.0;
    x = 0;
    expect<bh>(x);
  }
};
static_assert(!trace<promotion>().error);

struct shapes {
  static constexpr void body(lang& tl) {
    const block<float, 4> v = tl.zeros<float, 4>();
    const block<float, 3, 4> m = tl.zeros<float, 3, 4>();
    const block<float, 3, 1> column = tl.col(tl.zeros<float, 3>());
    const block<float, 1, 4> row = tl.row(v);
    const block<float> scalar = tl.sum<0>(v);
    expect<block<float, 3, 4>>(m + v);
    expect<block<float, 3, 4>>(v + m);
    expect<block<float, 3, 4>>(column * row);
    expect<block<float, 3, 4>>(m + scalar);
    expect<block<float, 4>>(scalar + v);
    expect<block<float, 3, 4>>(tl.where(column > 0, v, 1.0f));
    expect<block<float, 2, 3, 4>>(tl.broadcast_to<2, 3, 4>(m));
    expect<block<float, 3, 4>>(tl.full<float, 3, 4>(scalar));
    expect<block<std::int32_t, 5>>(tl.arange<-2, 3>());
    expect<block<float, 3, 1, 4>>(tl.expand_dims<1>(m));
    // Reductions drop the axis; types as in the table.
    expect<block<float, 4>>(tl.sum<0>(m));
    expect<block<float, 3>>(tl.max<1>(m));
    expect<block<std::uint32_t, 4>>(tl.sum<0>(m > 0));
    expect<block<std::int32_t>>(tl.min<0>(tl.zeros<std::int8_t, 4>()));
    expect<block<f16>>(tl.sum<0>(tl.zeros<f16, 4>()));
    expect<block<float>>(tl.max<0>(tl.zeros<bf16, 4>()));
    // Products accumulate in f32, f64 or i32.
    expect<block<float, 3, 5>>(tl.dot(tl.zeros<bf16, 3, 4>(), tl.zeros<bf16, 4, 5>()));
    expect<block<double, 3, 5>>(tl.dot(tl.zeros<double, 3, 4>(), tl.zeros<double, 4, 5>()));
    expect<block<std::int32_t, 3, 5>>(
        tl.dot(tl.zeros<std::int8_t, 3, 4>(), tl.zeros<std::int8_t, 4, 5>()));
    // Not only powers of two; at most 1,048,576 elements.
    expect<block<float, 7, 11>>(tl.zeros<float, 7, 11>());
    expect<block<float, 1048576>>(tl.zeros<float, 1048576>());
  }
};
static_assert(!trace<shapes>().error);

struct memory {
  static constexpr void body(lang& tl, ptr<const f16> x, ptr<float> y, i32 n) {
    const auto offsets = tl.arange<4>();
    expect<block<const f16*, 4>>(x + offsets);
    expect<block<const f16*>>(x + 7);
    expect<bh>(tl.load(x + offsets));
    expect<bh>(tl.load(x + offsets, offsets < n, 1.0));
    expect<block<f16>>(tl.load(x));
    expect<bh>(tl.load(x, offsets < n));  // a larger mask broadcasts the pointer
    tl.store(y + offsets, tl.load(x + offsets));
    tl.store(y + offsets, 1, offsets < n);
    tl.store(y + offsets, n);
  }
};
static_assert(!trace<memory>().error);

// Errors of a graph come out of constant evaluation as data too.
struct endless {
  static constexpr void body(lang& tl, ptr<float> y) {
    auto x = tl.zeros<float, 4>();
    for ([[maybe_unused]] auto i : tl.range(4)) {
      for (int k = 0; k < TILEWRIGHT_MAX_NODES; ++k) x = tl.exp(x);
    }
    tl.store(y + tl.arange<4>(), x);
  }
};
static_assert(trace<endless>().error.what == code::graph_full);

// A kernel has a body that takes the language and handles by value.
struct no_kernel {};
static_assert(Kernel<promotion> && Kernel<memory> && !Kernel<no_kernel> && !Kernel<int>);

// Operators are offered for what they take.
template <class X, class Y>
concept Addable = requires(const X& x, const Y& y) {
  x + y;
};
static_assert(Addable<bf, bh> && Addable<bf, int> && Addable<float, bf> &&
              Addable<bf, block<float>>);
static_assert(!Addable<bf, const char*> && !Addable<ptr<float>, ptr<float>>);

// No argument of the author's is taken for a source line: calls with one number too many are refused.
template <class Call, class... Arguments>
concept Accepts = requires(Call call, Arguments... arguments) {
  call(arguments...);
};
#define TILEWRIGHT_CALL(...) \
  [](lang& tl, auto... more) -> decltype(tl.__VA_ARGS__(more...)) { return tl.__VA_ARGS__(more...); }
template <class... Arguments, class Call>
constexpr bool takes_no_number_more(Call) {
  return Accepts<Call, lang&, Arguments...> && !Accepts<Call, lang&, Arguments..., int> &&
         !Accepts<Call, lang&, Arguments..., std::int64_t> &&
         !Accepts<Call, lang&, Arguments..., float> && !Accepts<Call, lang&, Arguments..., i32>;
}
static_assert(takes_no_number_more<int>(TILEWRIGHT_CALL(program_id)));
static_assert(takes_no_number_more<int>(TILEWRIGHT_CALL(num_programs)));
static_assert(takes_no_number_more<>(TILEWRIGHT_CALL(template arange<4>)));
static_assert(takes_no_number_more<>(TILEWRIGHT_CALL(template zeros<float, 4>)));
static_assert(takes_no_number_more<float>(TILEWRIGHT_CALL(template full<float, 4>)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(template broadcast_to<2, 4>)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(template expand_dims<0>)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(col)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(row)));
static_assert(takes_no_number_more<ptr<float>, i1, float>(TILEWRIGHT_CALL(load)));
static_assert(takes_no_number_more<ptr<float>, float, i1>(TILEWRIGHT_CALL(store)));
static_assert(takes_no_number_more<block<f16, 4, 4>, block<f16, 4, 4>, block<float, 4, 4>>(
    TILEWRIGHT_CALL(dot)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(template sum<0>)));
static_assert(takes_no_number_more<bf>(TILEWRIGHT_CALL(exp)));
static_assert(takes_no_number_more<bf, bf>(TILEWRIGHT_CALL(maximum)));
static_assert(takes_no_number_more<b1, bf, bf>(TILEWRIGHT_CALL(where)));
static_assert(takes_no_number_more<i32, int>(TILEWRIGHT_CALL(cdiv)));
static_assert(takes_no_number_more<int, i32, int>(TILEWRIGHT_CALL(range)));
template <class Line>
concept Converts = requires(const bf& x, Line line) {
  x.to<f16>(line);
};
static_assert(Converts<source_line> && !Converts<int> && !Converts<std::int64_t>);

}  // namespace
}  // namespace tilewright
