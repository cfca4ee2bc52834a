import pathlib

from spack.package import *


class Tilewright(CMakePackage):
    """Block programs in plain C++, compiled for an accelerator and for the host."""

    # This checkout.
    git = pathlib.Path(__file__).resolve().parents[4].as_uri()

    license("Apache-2.0")

    version("main", branch="main")

    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("highway@1.0.3:1", type=("build", "link"))

    conflicts("%gcc@:12.1")
    conflicts("%clang@:13")

    def cmake_args(self):
        return [
            self.define(f"TILEWRIGHT_BUILD_{part}", False)
            for part in ("TESTS", "EXAMPLES", "BENCHMARKS")
        ]
