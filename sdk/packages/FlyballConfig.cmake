# find_package(Flyball): a target for each installed policy, Flyball::edf, …, and Flyball::Flyball for the
# one of FLYBALL_POLICY. The compiler gets its options from the toolchain file, FlyballToolchain.cmake beside this
# file, for all targets; what is linked to Flyball::edf runs under that policy instead of the usual one.
if(NOT DEFINED FLYBALL_POLICIES)
  set(Flyball_FOUND FALSE)
  set(Flyball_NOT_FOUND_MESSAGE
    "configure with -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/FlyballToolchain.cmake")
  return()
endif()

foreach(flyball_policy IN LISTS FLYBALL_POLICIES)
  if(NOT TARGET Flyball::${flyball_policy})
    add_library(Flyball::${flyball_policy} INTERFACE IMPORTED)
    # A program has one policy: with another one as well CMake ends with an error.
    set_target_properties(Flyball::${flyball_policy} PROPERTIES
      INTERFACE_FLYBALL_POLICY ${flyball_policy}
      COMPATIBLE_INTERFACE_STRING FLYBALL_POLICY)
  endif()
endforeach()
unset(flyball_policy)

if(NOT TARGET Flyball::Flyball)
  add_library(Flyball::Flyball INTERFACE IMPORTED)
  set_target_properties(Flyball::Flyball PROPERTIES INTERFACE_LINK_LIBRARIES Flyball::${FLYBALL_POLICY})
endif()
