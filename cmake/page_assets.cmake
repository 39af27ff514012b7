# Turns the files of the server's page (web/page and what it uses of the viewer) into a C++ source
# that has them as a table. All but the start page have a hash of all of them in their paths, so
# that browsers may keep them for ever: a program with other files names other paths.
#
#   cmake -DWEB=web -DOUTPUT=page_assets.cpp -P cmake/page_assets.cmake

get_filename_component(WEB "${WEB}" ABSOLUTE)
file(GLOB names RELATIVE "${WEB}" "${WEB}/attention.css" "${WEB}/viewer/*.js" "${WEB}/page/*.js"
  "${WEB}/page/*.css" "${WEB}/page/*.svg")
list(SORT names)
set(types_css "text/css; charset=utf-8")
set(types_js "text/javascript; charset=utf-8")
set(types_svg "image/svg+xml")

# What ends a literal must not stand in a file.
set(mark "heed_page")
function(read_file name result)
  file(READ "${WEB}/${name}" text)
  string(FIND "${text}" ")${mark}\"" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${name}: has )${mark}\", which would end the literal that holds it")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

read_file(page/index.html index)
set(hashes "${index}")
foreach(name IN LISTS names)
  file(SHA256 "${WEB}/${name}" hash)
  string(APPEND hashes "${name} ${hash}\n")
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING "${hash}" 0 16 hash)

# Modules that import each other would otherwise be asked for one after the other.
set(preloads "")
set(entries "")
foreach(name IN LISTS names)
  read_file(${name} text)
  string(REGEX REPLACE ".*[.]" "" ending "${name}")
  string(APPEND entries "    Asset{\"/assets/${hash}/${name}\", \"${types_${ending}}\",\n"
    "          R\"${mark}(${text})${mark}\",\n          \"${hash}\"},\n")
  if(ending STREQUAL "js")
    string(APPEND preloads "<link rel=\"modulepreload\" href=\"assets/${hash}/${name}\">\n")
  endif()
endforeach()
string(REPLACE "@ASSETS@" "assets/${hash}" index "${index}")
string(REPLACE "@PRELOADS@\n" "${preloads}" index "${index}")

file(WRITE "${OUTPUT}" "// Made from ${WEB} by cmake/page_assets.cmake.
#include \"heed/server/assets.h\"

namespace heed {

namespace {

constexpr Asset table[] = {
    Asset{\"/\", \"text/html; charset=utf-8\",
          R\"${mark}(${index})${mark}\",
          \"${hash}\"},
${entries}};

}  // namespace

std::span<const Asset> page_assets() { return table; }

}  // namespace heed
")
