# lit tests. They need python3 and LLVM's lit, which only tests use.
find_package(Python3 COMPONENTS Interpreter QUIET)
find_file(PARTYLINE_LIT lit.py PATHS ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit NO_DEFAULT_PATH)

# lit_test(NAME): runs the .mlir files of the current folder as the test lit.NAME.
function(lit_test name)
  if(PARTYLINE_LIT AND Python3_FOUND)
    add_test(NAME lit.${name} COMMAND Python3::Interpreter ${PARTYLINE_LIT} -sv
      --param partyline_opt=$<TARGET_FILE:partyline-opt> --param llvm_tools=${LLVM_TOOLS_BINARY_DIR}
      --param work=${CMAKE_CURRENT_BINARY_DIR}/lit ${CMAKE_CURRENT_SOURCE_DIR})
    # A rewrite without end is a failure, not a hang.
    set_tests_properties(lit.${name} PROPERTIES TIMEOUT 300)
  else()
    add_test(NAME lit.${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: python3 or LLVM's lit.py is not installed")
    set_tests_properties(lit.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
endfunction()
