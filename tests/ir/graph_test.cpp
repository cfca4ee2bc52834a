// Graphs as data: the verifier finds each kind of damage, and the dump shows what is there.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <tilewright/ir/dump.hpp>
#include <tilewright/ir/graph.hpp>
#include <tilewright/ir/verify.hpp>

namespace tilewright {
namespace {

node make(op code, dtype type, const shape& dims, std::initializer_list<node_id> operands = {},
          std::int64_t value = 0) {
  node n;
  n.code = code;
  n.type = type;
  n.dims = dims;
  n.value = value;
  int slot = 0;
  for (const node_id operand : operands) n.operands[slot++] = operand;
  return n;
}

constexpr shape scalar = make_shape<>();
constexpr shape row = make_shape<4>();
constexpr shape square = make_shape<4, 4>();

/// A small graph with one of everything: out[i] = sum over j, in a loop, of a product.
std::unique_ptr<graph> good() {
  auto g = std::make_unique<graph>();
  const auto add = [&](const node& n) {
    g->nodes.push_back(n);
    return g->size() - 1;
  };
  g->argument_count = 2;
  node pointer = make(op::argument, dtype::f32, scalar);
  pointer.pointer = pointer.writable = true;
  add(pointer);                                        // 0
  add(make(op::argument, dtype::i32, scalar, {}, 1));  // 1
  add(make(op::arange, dtype::i64, row));              // 2
  node addresses = make(op::add_pointer, dtype::f32, row, {0, 2});
  addresses.pointer = true;
  add(addresses);                                                      // 3
  add(make(op::constant, dtype::i64, row, {}, 3));                     // 4
  add(make(op::lt, dtype::i1, row, {2, 4}));                           // 5
  add(make(op::constant, dtype::f32, scalar, {}, 0x40200000));         // 6: 2.5
  add(make(op::load, dtype::f32, row, {3, 5, 6}, -1));                 // 7
  add(make(op::expand_dims, dtype::f32, make_shape<4, 1>(), {7}, 1));  // 8
  add(make(op::mul, dtype::f32, square, {8, 7}));                      // 9
  add(make(op::constant, dtype::f32, square));                         // 10
  add(make(op::constant, dtype::i32, scalar));                         // 11
  add(make(op::constant, dtype::i32, scalar, {}, 1));                  // 12
  add(make(op::loop, dtype::i32, scalar, {11, 1, 12}, 17));            // 13
  add(make(op::induction, dtype::i32, scalar, {13}));                  // 14
  add(make(op::phi, dtype::f32, square, {10, 16, 13}));                // 15
  add(make(op::dot, dtype::f32, square, {9, 9, 15}));                  // 16
  add(make(op::end_loop, dtype::i32, scalar, {13}));                   // 17
  node reduce = make(op::reduce, dtype::f32, row, {15}, 1);
  reduce.combine = op::maximum;
  reduce.line = 12;
  add(reduce);                                            // 18
  add(make(op::cast, dtype::i1, row, {18}));              // 19
  add(make(op::where, dtype::f32, row, {19, 18, 7}));     // 20
  add(make(op::store, dtype::f32, row, {3, 20, 5}, -1));  // 21
  return g;
}

TEST(Verifier, AcceptsAGoodGraph) { EXPECT_FALSE(verify(*good())); }

/// One change to the good graph, and the rule that it must violate at node `where`.
struct damage {
  const char* what;
  graph_rule rule;
  node_id where;
  std::function<void(graph&)> change;
};

/// Gives the store an access, one part of which is the running value of the loop before it.
template <class Part>
void use_running_value(graph& g, Part access::*part) {
  g[12].type = g[14].type = dtype::i64;
  access made;
  made.base = 0;
  made.offset = 12;
  if constexpr (std::is_array_v<Part>) {
    (made.*part)[0] = 14;
  } else {
    made.*part = 14;
  }
  g.accesses.push_back(made);
  g[21].value = 0;
}

const damage damages[] = {
    {"a missing operand", graph_rule::operand_missing, 9,
     [](graph& g) { g[9].operands[1] = no_node; }},
    {"a missing pointer", graph_rule::operand_missing, 7,
     [](graph& g) { g[7].operands[0] = no_node; }},
    {"a missing value to store", graph_rule::operand_missing, 21,
     [](graph& g) { g[21].operands[1] = no_node; }},
    {"a later operand", graph_rule::operand_order, 9, [](graph& g) { g[9].operands[0] = 10; }},
    {"an operand that is no node", graph_rule::operand_order, 9,
     [](graph& g) { g[9].operands[0] = 1000; }},
    {"a next value from behind the loop", graph_rule::operand_order, 15,
     [](graph& g) { g[15].operands[1] = 18; }},
    {"an extent that is no i64", graph_rule::operand_order, 9,
     [](graph& g) { g[9].extents[0] = 1; }},
    {"a value from a closed loop", graph_rule::operand_scope, 18,
     [](graph& g) { g[18].operands[0] = 16; }},
    {"the running value of a closed loop", graph_rule::operand_scope, 19,
     [](graph& g) { g[19].operands[0] = 14; }},
    {"a count from a closed loop", graph_rule::operand_scope, 18,
     [](graph& g) {
       g[14].type = dtype::i64;
       g[18].extents[0] = 14;
     }},
    {"an offset from a closed loop", graph_rule::operand_scope, 21,
     [](graph& g) { use_running_value(g, &access::offset); }},
    {"a stride from a closed loop", graph_rule::operand_scope, 21,
     [](graph& g) { use_running_value(g, &access::strides); }},
    {"an extent from a closed loop", graph_rule::operand_scope, 21,
     [](graph& g) { use_running_value(g, &access::extents); }},
    {"operands of two types", graph_rule::element_type, 5,
     [](graph& g) { g[4].type = dtype::i32; }},
    {"a comparison that is no i1", graph_rule::element_type, 5,
     [](graph& g) { g[5].type = dtype::i64; }},
    {"a mask that is no i1", graph_rule::element_type, 7, [](graph& g) { g[7].operands[1] = 2; }},
    {"other of another type", graph_rule::element_type, 7, [](graph& g) { g[7].operands[2] = 4; }},
    {"a load through no pointer", graph_rule::element_type, 7,
     [](graph& g) { g[7].operands[0] = 4; }},
    {"an offset that is no i64", graph_rule::element_type, 3,
     [](graph& g) { g[2].type = dtype::i32; }},
    {"a condition that is no i1", graph_rule::element_type, 20,
     [](graph& g) { g[20].operands[0] = 18; }},
    {"a stored value of another type", graph_rule::element_type, 21,
     [](graph& g) { g[21].operands[1] = 19; }},
    {"a reduction of another type", graph_rule::element_type, 18,
     [](graph& g) { g[18].type = dtype::f64; }},
    {"operands of a product of two types", graph_rule::element_type, 16,
     [](graph& g) { g[16].operands[1] = 4; }},
    {"shapes that do not broadcast", graph_rule::block_shape, 9,
     [](graph& g) { g[9].dims = make_shape<4, 3>(); }},
    {"a product of the wrong shape", graph_rule::block_shape, 16,
     [](graph& g) { g[16].operands[0] = 8; }},
    {"an axis that is not there", graph_rule::block_shape, 18, [](graph& g) { g[18].value = 2; }},
    {"a reduction of the wrong shape", graph_rule::block_shape, 18,
     [](graph& g) { g[18].dims = make_shape<5>(); }},
    {"a new dimension that is not 1", graph_rule::block_shape, 8,
     [](graph& g) { g[8].dims = square; }},
    {"a loop without its end", graph_rule::loop_structure, 13, [](graph& g) { g[13].value = 16; }},
    {"a loop without a running value", graph_rule::loop_structure, 13,
     [](graph& g) { g[14] = g[12]; }},
    {"a phi in the middle of a loop", graph_rule::loop_structure, 16,
     [](graph& g) {
       std::swap(g[15], g[16]);
       g[16].operands[1] = 16;
       g[15].operands[2] = 10;
     }},
    {"an end without a loop", graph_rule::loop_structure, 12,
     [](graph& g) { g[12] = make(op::end_loop, dtype::i32, scalar, {11}); }},
    {"an access that is not there", graph_rule::access_record, 7, [](graph& g) { g[7].value = 0; }},
    {"an access without a base", graph_rule::access_record, 7,
     [](graph& g) {
       g[7].value = 0;
       g.accesses.push_back({});
     }},
};

TEST(Verifier, FindsEachDamage) {
  for (const damage& d : damages) {
    SCOPED_TRACE(d.what);
    auto g = good();
    g->nodes[d.where].line = 77;
    d.change(*g);
    const diagnostic found = verify(*g);
    EXPECT_EQ(found.what, code::malformed);
    EXPECT_EQ(found.need, static_cast<std::int64_t>(d.rule));
    EXPECT_EQ(found.have, d.where);
  }
}

TEST(Verifier, NamesTheLine) {
  auto g = good();
  g->nodes[18].line = 77;
  g->nodes[18].value = 2;
  EXPECT_EQ(verify(*g).line, 77);
}

TEST(Verifier, AnOpenLoopIsFound) {
  auto g = good();
  while (g->size() > 17) g->nodes.pop_back();
  const diagnostic found = verify(*g);
  EXPECT_EQ(found.what, code::malformed);
  EXPECT_EQ(found.need, static_cast<std::int64_t>(graph_rule::loop_structure));
}

TEST(Dump, OneLineANode) {
  std::string text;
  dump(*good(), text);
  EXPECT_EQ(text, R"(  %0: ptr<f32> = argument 0
  %1: i32 = argument 1
  %2: i64[4] = arange 0
  %3: ptr<f32>[4] = add_pointer %0, %2
  %4: i64[4] = constant 3
  %5: i1[4] = lt %2, %4
  %6: f32 = constant bits 0x40200000
  %7: f32[4] = load %3, %5, %6
  %8: f32[4, 1] = expand_dims 1 %7
  %9: f32[4, 4] = mul %8, %7
  %10: f32[4, 4] = constant 0.0
  %11: i32 = constant 0
  %12: i32 = constant 1
  loop %11, %1, %12
    %14: i32 = induction %13
    %15: f32[4, 4] = phi %10, %16, %13
    %16: f32[4, 4] = dot %9, %9, %15
  end_loop %13
  %18: f32[4] = reduce maximum along 1 %15  // line 12
  %19: i1[4] = cast %18
  %20: f32[4] = where %19, %18, %7
  store %3, %20, %5
)");
}

TEST(Dump, ConstantsAndErrors) {
  graph g;
  g.nodes.push_back(make(op::constant, dtype::i8, scalar, {}, 0xff));
  g.nodes.push_back(make(op::constant, dtype::u8, scalar, {}, 0xff));
  g.nodes.push_back(make(op::constant, dtype::bf16, row, {}, 0xc000));
  g.nodes.push_back(make(op::constant, dtype::f32, row, {}, 0x80000000));
  g.nodes.push_back(make(op::constant, dtype::i1, scalar, {}, 1));
  g.fail({code::zero_step, 5});
  g.fail({code::graph_full, 6});
  std::string text;
  dump(g, text);
  EXPECT_EQ(text, R"(  %0: i8 = constant -1
  %1: u8 = constant 255
  %2: bf16[4] = constant -2.0
  %3: f32[4] = constant bits 0x80000000
  %4: i1 = constant 1
  error: TW-E003: a tl.range loop has step 0 (line 5)
)") << "the first error is kept";
}

TEST(Graph, OperandSlots) {
  const auto slots = [](op code) { return operand_slots(make(code, dtype::f32, scalar)); };
  EXPECT_EQ(slots(op::constant), 0);
  EXPECT_EQ(slots(op::neg), 1);
  EXPECT_EQ(slots(op::add), 2);
  EXPECT_EQ(slots(op::lt), 2);
  EXPECT_EQ(slots(op::where), 3);
  EXPECT_EQ(slots(op::load), 3);
  EXPECT_EQ(slots(op::end_loop), 1);
}

TEST(Graph, FullVectorsKeepWhatTheyHold) {
  detail::inplace_vector<int, 2> v;
  EXPECT_TRUE(v.push_back(1));
  EXPECT_TRUE(v.push_back(2));
  EXPECT_FALSE(v.push_back(3));
  EXPECT_EQ(v.size(), 2);
  EXPECT_EQ(v.back(), 2);
  v.pop_back();
  EXPECT_TRUE(v.push_back(4));
  EXPECT_EQ(v[1], 4);
}

}  // namespace
}  // namespace tilewright
