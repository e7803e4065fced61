//===- frontend/units.h - "2.8 GB", "1 Gb/s", "100 us" as numbers ---------===//
//
// As in cluster files and options such as --memory-limit. A number without a unit is an Error: nobody can tell 1 MB/s
// from 1 Mb/s by looking at a 1.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace partyline {

/// Bytes. kB, MB, GB, TB are powers of 1000; KiB, MiB, GiB, TiB of 1024.
int64_t parseBytes(const std::string &text);
/// Bytes per second, from bits (b/s, kb/s, Mb/s, Gb/s) or bytes (B/s, kB/s, MB/s, GB/s).
double parseBandwidth(const std::string &text);
/// Seconds, from us, ms or s.
double parseDuration(const std::string &text);

} // namespace partyline
