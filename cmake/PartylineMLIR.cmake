# MLIR and LLVM 19 from Debian's packages. The shared libraries MLIR and LLVM are the only ones ever linked.
find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
find_package(MLIR REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/mlir NO_DEFAULT_PATH)

add_library(party_mlir INTERFACE)
target_include_directories(party_mlir SYSTEM INTERFACE /usr/lib/llvm-19/include)
target_link_libraries(party_mlir INTERFACE MLIR LLVM)
# What uses MLIR spends its time in MLIR, which comes compiled: optimising more here costs a third of the build.
target_compile_options(party_mlir INTERFACE $<$<CONFIG:Release>:-O1>)
