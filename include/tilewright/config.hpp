// Feature macros: each uses the definition provided by the user, else detects.
#pragma once

#define TILEWRIGHT_VERSION_MAJOR 0
#define TILEWRIGHT_VERSION_MINOR 1
#define TILEWRIGHT_VERSION_PATCH 0

/// 1 when failures are reported by throwing `tilewright::error`.
#ifndef TILEWRIGHT_USE_EXCEPTIONS
#if defined(__cpp_exceptions)
#define TILEWRIGHT_USE_EXCEPTIONS 1
#else
#define TILEWRIGHT_USE_EXCEPTIONS 0
#endif
#endif

/// 1 to compile under options such as -ffast-math all the same. Promises about NaN, signed zeros and
/// equal bits then hold no longer.
#ifndef TILEWRIGHT_ALLOW_FAST_MATH
#define TILEWRIGHT_ALLOW_FAST_MATH 0
#endif

// GCC defines a macro for each such option; -fassociative-math takes effect only together with
// -fno-signed-zeros. Clang 14 defines the first two, and nothing where -fassociative-math,
// -freciprocal-math or -fno-signed-zeros is given alone.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#if !TILEWRIGHT_ALLOW_FAST_MATH
#error "Tilewright needs IEEE arithmetic: drop -ffast-math, or set TILEWRIGHT_ALLOW_FAST_MATH to 1"
#endif
#endif

/// Capacity of a graph in nodes, a plain number. A trace that needs more fails with TW-E001.
#ifndef TILEWRIGHT_MAX_NODES
#define TILEWRIGHT_MAX_NODES 2048
#endif

#ifndef TILEWRIGHT_INLINE
#define TILEWRIGHT_INLINE inline __attribute__((always_inline))
#endif

// ---- one name, one text ----
//
// The units of a program may be compiled with different flags, and the linker takes functions of one
// name for one function. So everything lives in an inline namespace whose name says what a flag
// changes in its text or its layout: tilewright::v0_throws_nodes2048_avx2_fma_bmi2. Types of
// different names cannot be handed from one such unit to another: the linker says so.

#if TILEWRIGHT_USE_EXCEPTIONS
#define TILEWRIGHT_ABI_FAILURES _throws
#else
#define TILEWRIGHT_ABI_FAILURES _hook
#endif

#if defined(__AVX512F__)
#define TILEWRIGHT_ABI_VECTORS _avx512
#elif defined(__AVX2__)
#define TILEWRIGHT_ABI_VECTORS _avx2
#elif defined(__AVX__)
#define TILEWRIGHT_ABI_VECTORS _avx
#elif defined(__SSE4_2__)
#define TILEWRIGHT_ABI_VECTORS _sse4
#elif defined(__SSSE3__)
#define TILEWRIGHT_ABI_VECTORS _ssse3
#elif defined(__ARM_FEATURE_SVE)
#define TILEWRIGHT_ABI_VECTORS _sve
#elif defined(__riscv_vector)
#define TILEWRIGHT_ABI_VECTORS _rvv
#else
#define TILEWRIGHT_ABI_VECTORS
#endif
#if defined(__AVX512VL__) && defined(__AVX512BW__) && defined(__AVX512DQ__)
#define TILEWRIGHT_ABI_AVX512 _vl
#else
#define TILEWRIGHT_ABI_AVX512
#endif
#if defined(__AVX512VNNI__)
#define TILEWRIGHT_ABI_VNNI _vnni
#else
#define TILEWRIGHT_ABI_VNNI
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define TILEWRIGHT_ABI_FMA _fma
#else
#define TILEWRIGHT_ABI_FMA
#endif
#if defined(__BMI2__)
#define TILEWRIGHT_ABI_BITS _bmi2
#else
#define TILEWRIGHT_ABI_BITS
#endif
#if defined(__FAST_MATH__) || defined(__NO_SIGNED_ZEROS__) || defined(__RECIPROCAL_MATH__)
#define TILEWRIGHT_ABI_MATH _fast_math
#else
#define TILEWRIGHT_ABI_MATH
#endif

#define TILEWRIGHT_JOIN_AS_THEY_ARE(a, b, c, d, e, f, g, h, i, j) a##b##c##d##e##f##g##h##i##j
#define TILEWRIGHT_JOIN(a, b, c, d, e, f, g, h, i, j) \
  TILEWRIGHT_JOIN_AS_THEY_ARE(a, b, c, d, e, f, g, h, i, j)
#define TILEWRIGHT_ABI                                                                \
  TILEWRIGHT_JOIN(v0, TILEWRIGHT_ABI_FAILURES, _nodes, TILEWRIGHT_MAX_NODES,          \
                  TILEWRIGHT_ABI_VECTORS, TILEWRIGHT_ABI_AVX512, TILEWRIGHT_ABI_VNNI, \
                  TILEWRIGHT_ABI_FMA, TILEWRIGHT_ABI_BITS, TILEWRIGHT_ABI_MATH)
