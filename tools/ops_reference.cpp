// Prints docs/reference/ops.md. From the top of the repository:
//   g++ -std=c++20 -Iinclude -I. tools/ops_reference.cpp -o ops_reference
//   ./ops_reference > docs/reference/ops.md
#include <cstdio>

#include <tools/ops_reference.hpp>

int main() { return std::fputs(tilewright::tools::ops_page().c_str(), stdout) < 0 ? 1 : 0; }
