//===- worker_interface.h - what a step library may ask of the worker -----===//
//
// The only undefined symbols that a step library may have. The worker exports the hooks of Halide's runtime and links
// libc and libm, in which the others are found when the library is loaded. The compiler refuses to write a library that
// needs another one: that is what makes one file load on Debian and on Android alike.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace partyline {

inline constexpr std::array kWorkerInterface = {
    // The hooks of Halide's runtime, defined by the worker.
    std::string_view("halide_do_par_for"),
    std::string_view("halide_free"),
    std::string_view("halide_malloc"),
    // libc
    std::string_view("memcpy"),
    std::string_view("memmove"),
    std::string_view("memset"),
    // libm
    std::string_view("ceilf"),
    std::string_view("cosf"),
    std::string_view("erff"),
    std::string_view("expf"),
    std::string_view("floorf"),
    std::string_view("fmaf"),
    std::string_view("fmodf"),
    std::string_view("log1pf"),
    std::string_view("logf"),
    std::string_view("nearbyintf"),
    std::string_view("powf"),
    std::string_view("rintf"),
    std::string_view("roundf"),
    std::string_view("sinf"),
    std::string_view("sqrtf"),
    std::string_view("tanhf"),
    std::string_view("truncf"),
};

inline constexpr bool inWorkerInterface(std::string_view symbol) {
  return std::find(kWorkerInterface.begin(), kWorkerInterface.end(), symbol) != kWorkerInterface.end();
}

} // namespace partyline
