# MLIR and LLVM 19 from Debian's packages. The shared libraries MLIR and LLVM are the only ones ever linked.
find_package(LLVM 19 REQUIRED CONFIG PATHS /usr/lib/llvm-19 NO_DEFAULT_PATH)
find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-19 NO_DEFAULT_PATH)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR})
include(TableGen)
set(MLIR_TABLEGEN_EXE /usr/lib/llvm-19/bin/mlir-tblgen)

add_library(party_mlir INTERFACE)
target_include_directories(party_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(party_mlir INTERFACE MLIR LLVM)
