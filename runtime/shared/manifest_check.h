//===- manifest_check.h - does a manifest make sense? ---------------------===//
//
// The worker trusts a checked manifest blindly: every offset it writes to lies inside the arena, no two tensors share
// memory that must not, every rank knows its class.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/shared/manifest.h"

namespace partyline {

/// Throws an Error that names `file` and the key. What depends on the step library's tables is checked when it is
/// loaded.
void checkManifest(const Manifest &manifest, const std::string &file);

/// The class called `name`, the first where that is empty. Throws an Error that lists the classes where there is none.
const ManifestClass &findClass(const Manifest &manifest, const std::string &name);

} // namespace partyline
