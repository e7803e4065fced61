# How lit runs the .mlir files: RUN lines call partyline-opt and FileCheck by name. Parameters come from CMakeLists.txt.
import os

import lit.formats

config.name = "partyline"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["work"]
tools = [os.path.dirname(lit_config.params["partyline_opt"]), lit_config.params["llvm_tools"]]
config.environment["PATH"] = os.pathsep.join(tools + [os.environ["PATH"]])
