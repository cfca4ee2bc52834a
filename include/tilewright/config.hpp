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

/// Capacity of a graph in nodes. A trace that needs more fails with TW-E001.
#ifndef TILEWRIGHT_MAX_NODES
#define TILEWRIGHT_MAX_NODES 2048
#endif

#ifndef TILEWRIGHT_INLINE
#define TILEWRIGHT_INLINE inline __attribute__((always_inline))
#endif
