// What the language rejects: the TW-E sentence, at the line that is wrong.
#include <cstdint>

#include <tilewright/lang/trace.hpp>

namespace tw = tilewright;

struct kernel {
  static constexpr void body(tw::lang& tl, tw::ptr<const float> x, tw::ptr<float> y, tw::i32 n) {
    auto lanes = tl.arange<4>();
    auto vector = tl.zeros<float, 4>();
    auto matrix = tl.zeros<float, 4, 4>();

#ifndef TILEWRIGHT_BAD
    matrix = tl.dot(matrix, matrix);
    tl.store(y + lanes, tl.load(x + lanes, lanes < n) + vector + tl.sum<1>(matrix));
#elif TILEWRIGHT_BAD == 1
// expect 1: TW-E101: a block has at most rank 5
// expect 1: lang_errors.cpp:1001\b
#line 1001
    auto bad = tl.zeros<float, 1, 1, 1, 1, 1, 1>();
#elif TILEWRIGHT_BAD == 2
// expect 2: TW-E102: extents of a block are positive
// expect 2: lang_errors.cpp:1002\b
#line 1002
    auto bad = tl.zeros<float, 4, 0>();
#elif TILEWRIGHT_BAD == 3
// expect 3: TW-E103: a block has at most 1,048,576 elements
// expect 3: lang_errors.cpp:1003\b
#line 1003
    auto bad = tl.zeros<float, 1024, 1025>();
#elif TILEWRIGHT_BAD == 4
// expect 4: TW-E104: a variable keeps one element type and one shape
// expect 4: lang_errors.cpp:1004\b
#line 1004
    vector = tl.arange<4>();
#elif TILEWRIGHT_BAD == 5
// expect 5: TW-E105: tl.arange<First, Last> needs First < Last
// expect 5: lang_errors.cpp:1005\b
#line 1005
    auto bad = tl.arange<4, 4>();
#elif TILEWRIGHT_BAD == 6
// expect 6: TW-E106: tl.full takes a literal or a scalar
// expect 6: lang_errors.cpp:1006\b
#line 1006
    auto bad = tl.full<float, 4>(vector);
#elif TILEWRIGHT_BAD == 7
// expect 7: TW-E107: tl.broadcast_to cannot reach this shape
// expect 7: lang_errors.cpp:1007\b
#line 1007
    auto bad = tl.broadcast_to<4, 3>(vector);
#elif TILEWRIGHT_BAD == 8
// expect 8: TW-E108: no such axis
// expect 8: lang_errors.cpp:1008\b
#line 1008
    auto bad = tl.sum<1>(vector);
#elif TILEWRIGHT_BAD == 9
// expect 9: TW-E108: no such axis
// expect 9: lang_errors.cpp:1009\b
#line 1009
    auto bad = tl.expand_dims<2>(vector);
#elif TILEWRIGHT_BAD == 10
// expect 10: TW-E109: tl.col and tl.row take a block of rank 1
// expect 10: lang_errors.cpp:1010\b
#line 1010
    auto bad = tl.col(matrix);
#elif TILEWRIGHT_BAD == 11
// expect 11: TW-E110: a mask is a block of element type i1
// expect 11: lang_errors.cpp:1011\b
#line 1011
    auto bad = tl.load(x + lanes, lanes);
#elif TILEWRIGHT_BAD == 12
// expect 12: TW-E110: a mask is a block of element type i1
// expect 12: lang_errors.cpp:1012\b
#line 1012
    tl.store(y + lanes, vector, 1);
#elif TILEWRIGHT_BAD == 13
// expect 13: TW-E111: tl.store: value and mask must broadcast
// expect 13: lang_errors.cpp:1013\b
#line 1013
    tl.store(y, vector);
#elif TILEWRIGHT_BAD == 14
// expect 14: TW-E111: tl.store: value and mask must broadcast
// expect 14: lang_errors.cpp:1014\b
#line 1014
    tl.store(y + lanes, vector, tl.col(lanes) < n);
#elif TILEWRIGHT_BAD == 15
// expect 15: TW-E112: tl.dot: both operands must have one element type
// expect 15: lang_errors.cpp:1015\b
#line 1015
    auto bad = tl.dot(matrix, matrix.to<tw::f16>());
#elif TILEWRIGHT_BAD == 16
// expect 16: TW-E113: tl.dot takes blocks of rank 2
// expect 16: lang_errors.cpp:1016\b
#line 1016
    auto bad = tl.dot(vector, matrix);
#elif TILEWRIGHT_BAD == 17
// expect 17: TW-E114: tl.dot: the left block's columns must match the right block's rows
// expect 17: lang_errors.cpp:1017\b
#line 1017
    auto bad = tl.dot(tl.zeros<float, 4, 3>(), matrix);
#elif TILEWRIGHT_BAD == 18
// expect 18: TW-E115: tl.dot: the accumulator must be f32
// expect 18: lang_errors.cpp:1018\b
#line 1018
    auto bad = tl.dot(matrix, matrix, matrix.to<tw::bf16>());
#elif TILEWRIGHT_BAD == 19
// expect 19: TW-E117: tl.load: `other` must broadcast
// expect 19: lang_errors.cpp:1019\b
#line 1019
    auto bad = tl.load(x + lanes, lanes < n, matrix);
#elif TILEWRIGHT_BAD == 20
// expect 20: TW-E118: the operands' shapes do not broadcast
// expect 20: lang_errors.cpp:1020\b
#line 1020
    auto bad = vector + tl.zeros<float, 3>();
#elif TILEWRIGHT_BAD == 21
// expect 21: TW-E118: the operands' shapes do not broadcast
// expect 21: lang_errors.cpp:1021\b
#line 1021
    auto bad = tl.where(lanes < n, tl.zeros<float, 3>(), 0);
#elif TILEWRIGHT_BAD == 22
// expect 22: TW-E118: the operands' shapes do not broadcast
// expect 22: lang_errors.cpp:1022\b
#line 1022
    auto bad = x + lanes + tl.arange<3>();
#elif TILEWRIGHT_BAD == 23
// expect 23: TW-E116: tl.load: the mask does not broadcast with the pointers
// expect 23: lang_errors.cpp:1023\b
#line 1023
    auto bad = tl.load(x + lanes, tl.arange<3>() < n);
#elif TILEWRIGHT_BAD == 24
// expect 24: TW-E119: / and % do not mix signed and unsigned
// expect 24: lang_errors.cpp:1024\b
#line 1024
    auto bad = lanes / lanes.to<std::uint32_t>();
#elif TILEWRIGHT_BAD == 25
// expect 25: TW-E120: this operation does not take this element type
// expect 25: lang_errors.cpp:1025\b
#line 1025
    auto bad = vector & 1;
#elif TILEWRIGHT_BAD == 26
// expect 26: TW-E120: this operation does not take this element type
// expect 26: lang_errors.cpp:1026\b
#line 1026
    auto bad = tl.exp(lanes);
#elif TILEWRIGHT_BAD == 27
// expect 27: TW-E121: a condition has element type i1
// expect 27: lang_errors.cpp:1027\b
#line 1027
    auto bad = tl.where(lanes, 1, 2);
#elif TILEWRIGHT_BAD == 28
// expect 28: TW-E122: tl.store through a pointer to const
// expect 28: lang_errors.cpp:1028\b
#line 1028
    tl.store(x + lanes, vector);
#elif TILEWRIGHT_BAD == 29
// expect 29: TW-E123: tl.range takes literals and scalars
// expect 29: lang_errors.cpp:1029\b
#line 1029
    for (auto i : tl.range(lanes)) tl.store(y + i, 1);
#elif TILEWRIGHT_BAD == 30
// expect 30: TW-E124: tl.range takes integers no wider than i32
// expect 30: lang_errors.cpp:1030\b
#line 1030
    for (auto i : tl.range(2.5f)) tl.store(y + i, 1);
#elif TILEWRIGHT_BAD == 31
// expect 31: TW-E124: tl.range takes integers no wider than i32
// expect 31: lang_errors.cpp:1031\b
#line 1031
    for (auto i : tl.range(n.to<std::int64_t>())) tl.store(y + i, 1);
#elif TILEWRIGHT_BAD == 32
// expect 32: TW-E125: pointers do not convert
// expect 32: lang_errors.cpp:1032\b
#line 1032
    auto bad = x.to<float>();
#elif TILEWRIGHT_BAD == 33
// expect 33: TW-E126: && and \|\| take blocks of element type i1
// expect 33: lang_errors.cpp:1033\b
#line 1033
    auto bad = lanes < n && lanes;
#elif TILEWRIGHT_BAD == 34
// expect 34: TW-E126: && and \|\| take blocks of element type i1
// expect 34: lang_errors.cpp:1034\b
#line 1034
    auto bad = lanes || lanes < n;
#elif TILEWRIGHT_BAD == 35
// expect 35: TW-E127: ! takes a block of i1
// expect 35: lang_errors.cpp:1035\b
#line 1035
    auto bad = !lanes;
#elif TILEWRIGHT_BAD == 36
// expect 36: TW-E128: a pointer moves by an integer offset
// expect 36: lang_errors.cpp:1036\b
#line 1036
    auto bad = x + vector;
#elif TILEWRIGHT_BAD == 37
// expect 37: TW-E129: tl.cdiv takes integers
// expect 37: lang_errors.cpp:1037\b
#line 1037
    auto bad = tl.cdiv(vector, 2);
#endif
  }
};

static_assert(!tw::trace<kernel>().error);
