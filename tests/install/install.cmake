# Installs BUILD into a fresh prefix, then configures, builds and runs outside/ with nothing but
# that.
cmake_minimum_required(VERSION 3.25)

set(prefix "${FOLDER}/prefix")
set(outside "${FOLDER}/outside")
file(REMOVE_RECURSE "${prefix}" "${outside}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")

# A package that names the tree it was built in works only as long as that tree stays.
file(GLOB_RECURSE package "${prefix}/*.cmake")
if(NOT package)
  message(FATAL_ERROR "no package was installed under ${prefix}")
endif()
foreach(file IN LISTS package)
  file(READ "${file}" text)
  string(FIND "${text}" "${SOURCES}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} names ${SOURCES}")
  endif()
endforeach()

# Where man and the shells look.
foreach(file man/man1/heed.1 man/man1/heed-train.1 bash-completion/completions/heed
    zsh/site-functions/_heed fish/vendor_completions.d/heed.fish)
  if(NOT EXISTS "${prefix}/share/${file}")
    message(FATAL_ERROR "share/${file} was not installed")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/outside" -B "${outside}"
  "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
  "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${FLAGS}"
  "-DCMAKE_CXX_FLAGS=${FLAGS}" "-DEXAMPLES=${SOURCES}/examples")
run(${CMAKE_COMMAND} --build "${outside}")

execute_process(COMMAND "${outside}/outside" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "output 2, gradients 0.5 and 0.5\n")
  message(FATAL_ERROR "the outside program says: ${output}")
endif()
run("${outside}/every_header")

# The installed program learns a small language, and the outside program translates it.
set(digits zero one two three four five six seven eight nine)
set(words "")
set(numbers "")
foreach(first RANGE 9)
  list(GET digits ${first} first_word)
  foreach(second RANGE 9)
    list(GET digits ${second} second_word)
    string(APPEND words "${first_word} ${second_word}\n")
    string(APPEND numbers "${first} ${second}\n")
  endforeach()
endforeach()
file(WRITE "${FOLDER}/words.txt" "${words}")
file(WRITE "${FOLDER}/numbers.txt" "${numbers}")
file(REMOVE_RECURSE "${FOLDER}/model")
run("${prefix}/bin/heed" train --train "${FOLDER}/words.txt" "${FOLDER}/numbers.txt"
  --valid "${FOLDER}/words.txt" "${FOLDER}/numbers.txt" --model "${FOLDER}/model"
  --vocabulary-kind characters --separate-vocabularies
  --preset rnn --embedding 16 --hidden 32 --dropout 0 --embedding-dropout 0 --tied-embeddings none
  --learning-rate 0.01 --warm-up 20 --batch 512 --steps 300 --validate-every 100 --samples 0)
function(expect_translations)
  execute_process(COMMAND ${ARGN} "${FOLDER}/model" "seven three" "" "nine zero"
    OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  if(NOT output MATCHES "seven three -> 7 3 .*nine zero -> 9 0 ")
    message(FATAL_ERROR "${ARGN} says: ${output}")
  endif()
endfunction()

expect_translations("${outside}/translate_text")
expect_translations("${outside}/translate_text_c")
expect_translations("${outside}/translate_text_pkg_config")
if(PYTHON)
  file(GLOB_RECURSE library "${prefix}/*/libheed.so.0")
  expect_translations(${CMAKE_COMMAND} -E env "HEED_LIBRARY=${library}" "${PYTHON}"
    "${SOURCES}/examples/translate_text.py")
else()
  message("no python3, or a sanitizer: the library was not tried from Python")
endif()
