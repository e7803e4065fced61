# partyline-worker. Step libraries find the hooks of runtime/shared/worker_interface.h in it: ENABLE_EXPORTS.
add_executable(partyline-worker ${CMAKE_CURRENT_LIST_DIR}/partyline-worker.cpp)
target_link_libraries(partyline-worker PRIVATE party_options party_mpi m)
set_target_properties(partyline-worker PROPERTIES ENABLE_EXPORTS ON)
install(TARGETS partyline-worker RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
