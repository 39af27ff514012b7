# Man pages and completions, which the program writes itself: they know every flag it has.
set(manual "${CMAKE_BINARY_DIR}/manual")
add_custom_command(OUTPUT "${manual}/complete"
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${manual}"
  COMMAND heed manual --man "${manual}/man"
  COMMAND heed manual --completion bash > "${manual}/heed"
  COMMAND heed manual --completion zsh > "${manual}/_heed"
  COMMAND heed manual --completion fish > "${manual}/heed.fish"
  COMMAND ${CMAKE_COMMAND} -E touch "${manual}/complete"
  DEPENDS heed COMMENT "Writing the manual" VERBATIM)
add_custom_target(manual ALL DEPENDS "${manual}/complete")

install(DIRECTORY "${manual}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${manual}/heed" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${manual}/_heed" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${manual}/heed.fish"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
