// Includes Highway, told which instruction set to use, and names the namespace of what is compiled
// for it. Define TILEWRIGHT_SIMD_NOTE as 0 to silence the notes about slower code than need be.
#pragma once

#include <tilewright/config.hpp>

// ---- what Highway is told ----

#ifndef HWY_STATIC_TARGET  // else the user has included Highway already, and its choice stands

// Highway 1.0.3 refuses some -march values without one of these three.
#if !defined(HWY_COMPILE_ONLY_STATIC) && !defined(HWY_COMPILE_ONLY_SCALAR) && \
    !defined(HWY_COMPILE_ONLY_EMU128)
#define HWY_COMPILE_ONLY_STATIC
#endif

// It asks for instructions that -march=x86-64-v3, haswell or -mavx2 don't give, and that nothing
// here needs, before it uses SSE4 or AVX2. It can do without them.
#if defined(__SSE4_2__) && !(defined(__AES__) && defined(__PCLMUL__)) && \
    !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
#if defined(__AVX2__) && !(defined(__BMI__) && defined(__BMI2__) && defined(__FMA__)) && \
    !defined(HWY_DISABLE_BMI2_FMA)
#define HWY_DISABLE_BMI2_FMA
#endif
#if defined(__AVX2__) && !defined(__F16C__) && !defined(HWY_DISABLE_F16C)
#define HWY_DISABLE_F16C
#endif

// It avoids emulated vectors with GCC before 12.3, whose vectorizer breaks products of which the
// upper half is kept (GCC bug 106322). There are none here, and one lane at a time would be slow.
#if defined(__x86_64__) && !defined(HWY_BROKEN_EMU128)
#define HWY_BROKEN_EMU128 0
#endif

// On AArch64 with GCC it compiles its functions for +crypto, so that a caller without cannot inline
// them, unless it believes that it cannot ask the processor for its features.
#if defined(__aarch64__) && !defined(__ARM_FEATURE_AES) && !defined(TOOLCHAIN_MISS_SYS_AUXV_H)
#define TOOLCHAIN_MISS_SYS_AUXV_H
#endif

// The host keeps vectors in arrays, which those of SVE and RVV, sized at run time, cannot be in.
#if (defined(__ARM_FEATURE_SVE) || defined(__riscv_vector)) && !defined(HWY_DISABLED_TARGETS)
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif

#endif  // HWY_STATIC_TARGET

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#if HWY_HAVE_SCALABLE
#error \
    "Tilewright needs vectors of one size, not SVE or RVV: include it before Highway, or define \
HWY_DISABLED_TARGETS as (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)"
#endif
#if HWY_ARCH_ARM_A64 && HWY_COMPILER_GCC_ACTUAL && HWY_TARGET == HWY_NEON && \
    !defined(__ARM_FEATURE_AES) && !defined(TOOLCHAIN_MISS_SYS_AUXV_H)
#error \
    "Highway's NEON functions were compiled for +crypto: include Tilewright before Highway, or \
compile with -march=armv8-a+crypto (the processor must have it)"
#endif

// ---- notes ----
//
// #pragma message: visible, and no error with -Werror.

#ifndef TILEWRIGHT_SIMD_NOTE
#define TILEWRIGHT_SIMD_NOTE 1
#endif

#if TILEWRIGHT_SIMD_NOTE && !defined(HWY_COMPILE_ONLY_SCALAR) && !defined(HWY_COMPILE_ONLY_EMU128)
#if HWY_ARCH_X86 && (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)
#pragma message( \
    "Tilewright: without compiler flags, host code uses emulated vectors and is slow. \
-march=x86-64-v3 gives AVX2, -march=native all there is (TILEWRIGHT_SIMD_NOTE=0 silences this note)")
#elif HWY_ARCH_X86 && (HWY_DISABLED_TARGETS) == 0 && defined(__AVX512F__) && HWY_TARGET > HWY_AVX3
#pragma message( \
    "Tilewright: AVX-512 is not used: it needs the F, BW, DQ and VL instructions, and to \
be included before Highway (TILEWRIGHT_SIMD_NOTE=0 silences this note)")
#elif HWY_ARCH_X86 && (HWY_DISABLED_TARGETS) == 0 && \
    ((defined(__AVX2__) && HWY_TARGET > HWY_AVX2) || \
     (defined(__SSE4_2__) && HWY_TARGET > HWY_SSE4))
#pragma message( \
    "Tilewright: vectors are narrower than the compiler's flags allow. Include it before \
Highway, or add -maes -mpclmul -mbmi -mbmi2 -mfma -mf16c (TILEWRIGHT_SIMD_NOTE=0 silences this note)")
#elif defined(__ARM_FEATURE_SVE)
#pragma message( \
    "Tilewright: NEON is used instead of SVE, whose vectors have no size at compile time \
(TILEWRIGHT_SIMD_NOTE=0 silences this note)")
#elif defined(__riscv_vector)
#pragma message( \
    "Tilewright: no SIMD code for RVV, whose vectors have no size at compile time \
(TILEWRIGHT_SIMD_NOTE=0 silences this note)")
#endif
#endif

// ---- the namespace ----
//
// Everything that depends on the instruction set lives in an inline namespace named after it, so
// that translation units built with different -march flags can be linked together.

#if defined(__F16C__)
#define TILEWRIGHT_SIMD_F16C _F16C
#else
#define TILEWRIGHT_SIMD_F16C
#endif
#if defined(__FMA__)
#define TILEWRIGHT_SIMD_FMA _FMA
#else
#define TILEWRIGHT_SIMD_FMA
#endif
#if defined(HWY_DISABLE_BMI2_FMA)  // Highway's own functions then do without FMA
#define TILEWRIGHT_SIMD_BMI2 _NO_BMI2
#else
#define TILEWRIGHT_SIMD_BMI2
#endif
#define TILEWRIGHT_SIMD_JOIN_(a, b, c, d) a##b##c##d
#define TILEWRIGHT_SIMD_JOIN(a, b, c, d) TILEWRIGHT_SIMD_JOIN_(a, b, c, d)
#define TILEWRIGHT_SIMD_NAMESPACE                                                \
  TILEWRIGHT_SIMD_JOIN(HWY_NAMESPACE, TILEWRIGHT_SIMD_F16C, TILEWRIGHT_SIMD_FMA, \
                       TILEWRIGHT_SIMD_BMI2)
