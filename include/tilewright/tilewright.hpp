// All of Tilewright: the language, launching, the host, and the modelled device. Ready kernels
// (tilewright/kernels/) and test helpers (tilewright/testing.hpp) are included one by one.
#pragma once

#include <tilewright/config.hpp>
#include <tilewright/device/mtia_2i.hpp>
#include <tilewright/error.hpp>
#include <tilewright/host/checked.hpp>
#include <tilewright/host/host.hpp>
#include <tilewright/lang/trace.hpp>
#include <tilewright/launch/launch.hpp>
#include <tilewright/model/target.hpp>
#include <tilewright/passes/explain.hpp>
#include <tilewright/passes/pipeline.hpp>
