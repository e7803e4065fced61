# Cross-compiling for 64-bit ARM Linux with Debian's g++-aarch64-linux-gnu and a sysroot from scripts/make-sysroot, which
# PARTYLINE_SYSROOT names.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PARTYLINE_SYSROOT)
if(NOT EXISTS "${PARTYLINE_SYSROOT}/usr/include")
  message(FATAL_ERROR "PARTYLINE_SYSROOT is '${PARTYLINE_SYSROOT}', which is no sysroot: see scripts/build-worker")
endif()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${PARTYLINE_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${PARTYLINE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${PARTYLINE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${PARTYLINE_SYSROOT})

# mpicxx of the sysroot is a program for the other machine, the one found here would name this machine's headers:
# FindMPI is told what to use.
set(MPI_SKIP_COMPILER_WRAPPER ON)
set(MPI_CXX_SKIP_MPICXX ON)
set(mpi_root ${PARTYLINE_SYSROOT}/usr/lib/aarch64-linux-gnu/openmpi)
set(MPI_C_HEADER_DIR ${mpi_root}/include)
set(MPI_CXX_HEADER_DIR ${mpi_root}/include)
set(MPI_C_LIB_NAMES mpi)
set(MPI_CXX_LIB_NAMES mpi)
set(MPI_mpi_LIBRARY ${mpi_root}/lib/libmpi.so)
