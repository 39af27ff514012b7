# heed-mpi: the same program on many machines. Built where MPI is found; nothing else needs it.
add_custom_target(programs DEPENDS heed)
find_package(MPI COMPONENTS C)
if(MPI_C_FOUND)
  file(GLOB sources CONFIGURE_DEPENDS "src/app/mpi/*.cpp")
  add_executable(heed-mpi ${sources})
  target_compile_options(heed-mpi PRIVATE ${HEED_WARNINGS} ${HEED_COLD})
  target_link_libraries(heed-mpi PRIVATE heed_app MPI::MPI_C)
  # Without the old C++ bindings, whose headers Open MPI and MPICH still include by themselves.
  target_compile_definitions(heed-mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  add_dependencies(programs heed-mpi)
  install(TARGETS heed-mpi)
endif()
