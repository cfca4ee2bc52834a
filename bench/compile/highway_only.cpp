// The baseline of `bench/run compile`: what Highway's header alone costs.
#define HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>

int main() { return 0; }
