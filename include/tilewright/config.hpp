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

/// Capacity of a graph in nodes. A trace that needs more fails with TW-E001.
#ifndef TILEWRIGHT_MAX_NODES
#define TILEWRIGHT_MAX_NODES 2048
#endif

#ifndef TILEWRIGHT_INLINE
#define TILEWRIGHT_INLINE inline __attribute__((always_inline))
#endif
