# What every target of ours is compiled with. Link party_options PRIVATE.
add_library(party_options INTERFACE)
target_include_directories(party_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(party_options INTERFACE PARTYLINE_VERSION="${PROJECT_VERSION}")
# GCC 12 warns falsely of std::string concatenation and of small maps.
target_compile_options(party_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers -Wno-restrict
  -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow $<$<BOOL:${PARTYLINE_WERROR}>:-Werror>)
if(CMAKE_UNITY_BUILD)
  # Sources that are included are no headers.
  target_compile_options(party_options INTERFACE -Wno-subobject-linkage)
endif()
if(PARTYLINE_SANITIZE)
  target_compile_options(party_options INTERFACE -fsanitize=${PARTYLINE_SANITIZE} -fno-omit-frame-pointer -g)
  target_link_options(party_options INTERFACE -fsanitize=${PARTYLINE_SANITIZE})
endif()

# Precompiles headers that most sources of a target include. Where sources are compiled several at a time, those of a
# small target are one or two, and parse them no more often.
function(party_precompile_headers target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(NOT CMAKE_UNITY_BUILD OR count GREATER 16)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
