//===- manifest_json.h - the manifest as JSON -----------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

namespace partyline {

/// The largest manifest.json that is read.
inline constexpr int64_t kLargestManifestFile = int64_t(256) << 20;

/// The manifest as JSON text, as it stands: the hash is written, not computed.
std::string manifestToJson(const Manifest &manifest);

/// The hash that Manifest::hash must have: of its JSON text with that field empty.
std::string manifestHash(const Manifest &manifest);

/// The manifest with its hash in, as JSON text: what the writer of a cluster binary puts into manifest.json.
std::string sealedManifest(Manifest manifest);

/// Reads JSON text and checks every value (see manifest_check.h) and the hash. `file` is for messages.
Manifest manifestFromJson(const std::string &text, const std::string &file);

/// The same of a file.
Manifest readManifest(const std::string &path);

} // namespace partyline
