"""Packs the headers of this checkout: `conan create packaging/conan`."""

import os

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy
from conan.tools.layout import basic_layout


class Tilewright(ConanFile):
    name = "tilewright"
    version = "0.1.0"
    description = "Block programs in plain C++, compiled for an accelerator and for the host"
    license = "Apache-2.0"
    topics = ("header-only", "simd", "accelerator", "kernels")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True

    def layout(self):
        basic_layout(self)

    def requirements(self):
        # Only its headers are used, so that programs don't link with it.
        self.requires("highway/[>=1.0.3 <2]", transitive_headers=True, libs=False)

    def validate(self):
        check_min_cppstd(self, 20)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        copy(self, "include/*.hpp", root, self.export_sources_folder)
        copy(self, "LICENSE", root, self.export_sources_folder)

    def package(self):
        copy(self, "include/*.hpp", self.source_folder, self.package_folder)
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_id(self):
        self.info.clear()

    def package_info(self):
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
