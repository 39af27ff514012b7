# cmake -DPROGRAM=train_model -DFOLDER=folder -P train_model.cmake: it trains on a small corpus and
# leaves a model.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${FOLDER}")
set(text "")
foreach(line RANGE 1 400)
  math(EXPR first "${line} * 7 % 10")
  math(EXPR second "${line} * 3 % 10")
  string(APPEND text "${first} and ${second}\n")
endforeach()
file(WRITE "${FOLDER}/text" "${text}")
execute_process(COMMAND "${PROGRAM}" "${FOLDER}/text" "${FOLDER}/text" "${FOLDER}/model"
  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "step [0-9]+: (perplexity|cross-entropy) [0-9.]+" OR
    NOT EXISTS "${FOLDER}/model/model.safetensors")
  message(FATAL_ERROR "no model in ${FOLDER}; the program says: ${output}")
endif()
