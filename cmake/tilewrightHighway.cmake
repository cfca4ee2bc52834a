# Sets `tilewright_highway` to the target that has Highway's headers: one that the project has
# already, or that of the installed package. If there is none, it is empty, and
# `tilewright_highway_missing` says what to do.
#
# `tilewright_highway_includes` are the directories of those headers. The library takes them and does
# not link with the target: it calls nothing that is compiled into libhwy.so, so that programs should
# not need that file.

if(NOT TARGET hwy::hwy AND NOT TARGET hwy)
  find_package(hwy 1.0.3 CONFIG QUIET)
endif()

if(TARGET hwy::hwy)
  set(tilewright_highway hwy::hwy)
elseif(TARGET hwy)
  set(tilewright_highway hwy)
else()
  set(tilewright_highway "")
endif()
string(CONCAT tilewright_highway_missing
       "Tilewright needs Highway 1.0.3 or newer, and none was found. Install it (on Debian and "
       "Ubuntu: libhwy-dev), add its place to CMAKE_PREFIX_PATH, or give the project a target hwy "
       "or hwy::hwy before it takes in Tilewright.")

if(tilewright_highway)
  get_target_property(tilewright_highway_imported ${tilewright_highway} IMPORTED)
  if(tilewright_highway_imported)
    # Such a target may be unknown in the directories that use ours.
    get_target_property(tilewright_highway_includes ${tilewright_highway}
                        INTERFACE_INCLUDE_DIRECTORIES)
  else()
    set(tilewright_highway_includes
        "$<TARGET_PROPERTY:${tilewright_highway},INTERFACE_INCLUDE_DIRECTORIES>")
  endif()
endif()
