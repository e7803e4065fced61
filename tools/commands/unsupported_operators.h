//===- unsupported_operators.h - what `partyline ops` says cannot be trained ---===//
#pragma once

#include <map>
#include <string>

namespace partyline::commands {

/// The operators of ONNX up to opset 21 that are neither trained nor folded, each with a word on what stands against
/// it.
const std::map<std::string, std::string> &unsupportedOperators();

} // namespace partyline::commands
