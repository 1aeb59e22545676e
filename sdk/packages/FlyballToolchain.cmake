# CMake compiles C and C++ for the kernel:
#   cmake -B build -DCMAKE_TOOLCHAIN_FILE=PREFIX/lib/cmake/Flyball/FlyballToolchain.cmake [-DFLYBALL_POLICY=edf]
# Programs need no change. ctest starts them in the emulator.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR @PROCESSOR@)
set(CMAKE_C_COMPILER @TOOLS@-gcc)
set(CMAKE_CXX_COMPILER @TOOLS@-g++)
set(CMAKE_ASM_COMPILER @TOOLS@-gcc)

get_filename_component(FLYBALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(FLYBALL_POLICIES @POLICIES@)
set(FLYBALL_POLICY @POLICY@ CACHE STRING "The policy of programs that name none")
set_property(CACHE FLYBALL_POLICY PROPERTY STRINGS ${FLYBALL_POLICIES})
if(NOT FLYBALL_POLICY IN_LIST FLYBALL_POLICIES)
  message(FATAL_ERROR "FLYBALL_POLICY is ${FLYBALL_POLICY}; installed are: ${FLYBALL_POLICIES}")
endif()

# A target's property wins, which it has from Flyball::edf and its like.
set(flyball_named "$<TARGET_PROPERTY:FLYBALL_POLICY>")
add_compile_options("-specs=${FLYBALL_PREFIX}/lib/flyball-${FLYBALL_POLICY}.specs")
add_link_options("-specs=${FLYBALL_PREFIX}/lib/flyball-$<IF:$<BOOL:${flyball_named}>,${flyball_named},${FLYBALL_POLICY}>.specs")
unset(flyball_named)

set(CMAKE_EXECUTABLE_SUFFIX_C .elf)
set(CMAKE_EXECUTABLE_SUFFIX_CXX .elf)
set(CMAKE_CROSSCOMPILING_EMULATOR @EMULATOR@
  -nographic -monitor none -serial null -semihosting-config enable=on,target=native -kernel)

# Programs of the host, but no libraries of it.
list(APPEND CMAKE_FIND_ROOT_PATH "${FLYBALL_PREFIX}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
list(APPEND CMAKE_PREFIX_PATH "${FLYBALL_PREFIX}")
