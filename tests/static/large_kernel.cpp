// A kernel of more than 1,000 nodes stays within each compiler's default budget for constants.
#include <tilewright/passes/middle.hpp>

namespace tw = tilewright;

namespace {

struct long_chain {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto lane = tl.program_id(0) * 64 + tl.arange<64>();
    auto value = tl.load(x + lane, lane < n);
    for (int i = 0; i < 260; ++i) value = value * 2.0f + value;
    tl.store(y + lane, value, lane < n);
  }
};

static_assert(tw::middle<long_chain>::traced.size() > 1000);
static_assert(!tw::middle<long_chain>::extended.error);
// The products, the sums and one constant remain, beside a load, a store and what they need.
static_assert(tw::middle<long_chain>::extended.size() > 2 * 260);
static_assert(tw::middle<long_chain>::extended.size() < 2 * 260 + 30);

}  // namespace
