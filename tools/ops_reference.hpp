// The page docs/reference/ops.md, generated from the op tables.
#pragma once

#include <string>

#include <tilewright/ir/op_table.hpp>

namespace tilewright::tools {

/// Operands and result of an element-wise operation. T is the promoted type.
inline const char* signature_of(op_kind kind) {
  switch (kind) {
    case op_kind::arithmetic: return "(T, T) -> T, any type";
    case op_kind::compare: return "(T, T) -> i1, any type";
    case op_kind::bitwise: return "(T, T) -> T, integers and i1";
    case op_kind::shift: return "(T, T) -> T, integers";
    case op_kind::unary: return "T -> T, any type";
    case op_kind::unary_bits: return "T -> T, integers and i1";
    case op_kind::unary_float: return "T -> T, floats";
    case op_kind::select: return "(i1, T, T) -> T";
    case op_kind::structural: break;
  }
  return "";
}

inline std::string units_text(unit_set units) {
  std::string text;
  for (int i = 0; i < unit_count; ++i) {
    const unit which = static_cast<unit>(i);
    if (contains(units, which)) text += (text.empty() ? "" : ", ") + std::string(name_of(which));
  }
  return text.empty() ? "none" : text;
}

inline std::string call_of(const op_info& row) {
  const int arity = arity_of(row.kind);
  return std::string("`tl.") + row.name +
         (arity == 1   ? "(x)`"
          : arity == 2 ? "(x, y)`"
                       : "(x, y, z)`");
}

/// The whole page.
inline std::string ops_page() {
  std::string page =
      "# Operations\n\n"
      "Generated from `include/tilewright/ir/op_table.hpp` by `tools/ops_reference.cpp`; change "
      "the "
      "table, not this page.\n\n"
      "Units are those of a device that can do the operation; which one does is up to the pass "
      "`assign_units` and to what the device has. \"none\" means that it costs no unit: it becomes "
      "part of an address, a mask, a loop or another operation.\n\n"
      "## Element-wise\n\n"
      "Operands broadcast and are promoted to one type T first. 16-bit floats are computed in f32 "
      "and rounded once. \"Host ulp\" is the largest difference, in units in the last place, "
      "between the host's SIMD form and the scalar meaning; 0 promises equal bits.\n\n"
      "| Operation | Operands and result | Meaning | Units | Host ulp |\n"
      "|---|---|---|---|---|\n";
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info_of(static_cast<op>(i));
    if (row.kind == op_kind::structural) continue;
    page += "| " + call_of(row) + " | " + signature_of(row.kind) + " | " + row.summary + " | " +
            units_text(row.units) + " | " + std::to_string(row.host_ulp) + " |\n";
  }

  page +=
      "\n## Reductions\n\n"
      "Along one axis, in the documented tree.\n\n"
      "| Operation | Combines by | Types |\n"
      "|---|---|---|\n";
#define TILEWRIGHT_X(name, combine, summary) \
  page += "| `tl." #name "<Axis>(x)` | `" #combine "` | " summary " |\n";
  TILEWRIGHT_REDUCTIONS(TILEWRIGHT_X)
#undef TILEWRIGHT_X

  page +=
      "\n## Structure, memory and products\n\n"
      "Nodes of the graph that are not element-wise, under the names that dumps use.\n\n"
      "| Node | Meaning | Units |\n"
      "|---|---|---|\n";
  for (int i = 0; i < op_count; ++i) {
    const op_info& row = info_of(static_cast<op>(i));
    if (row.kind != op_kind::structural) continue;
    page += std::string("| `") + row.name + "` | " + row.summary + " | " + units_text(row.units) +
            " |\n";
  }
  return page;
}

}  // namespace tilewright::tools
