# Finds MLIR (the xtc-* packages from PyPI) and makes every target link it
# statically, so that an installed package needs no LLVM.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# Links in a second where ld takes ten.
find_program(LLD_PROGRAM NAMES ld.lld ld.lld-22 HINTS /usr/lib/llvm-22/bin)
if(LLD_PROGRAM)
  get_filename_component(LLD_DIR ${LLD_PROGRAM} DIRECTORY)
  add_link_options(-B${LLD_DIR} -fuse-ld=lld)
endif()

find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(MLIR REQUIRED CONFIG)

set(LLVM_LINK_LLVM_DYLIB OFF)
set(MLIR_LINK_MLIR_DYLIB OFF)
set(LLVM_INSTALL_TOOLCHAIN_ONLY ON)

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include(HandleLLVMOptions)

include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS})

# The exported MLIR libraries name the shared libLLVM; name the static parts.
foreach(target ${MLIR_EXPORTED_TARGETS})
  foreach(property INTERFACE_LINK_LIBRARIES MLIR_AGGREGATE_DEP_LIBS_IMPORTED)
    get_target_property(libraries ${target} ${property})
    if(libraries)
      list(TRANSFORM libraries REPLACE "^LLVM$" "LLVMRemarks;LLVMCore;LLVMSupport")
      set_target_properties(${target} PROPERTIES ${property} "${libraries}")
    endif()
  endforeach()
endforeach()
