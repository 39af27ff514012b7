# Makes the page of a recording from web/, all but its data: style and script inlined, their hashes
# in the page's Content-Security-Policy. web/README.md says how. No Node, no network.
#
#   cmake -DWEB=web -DOUTPUT=attention.html -P cmake/web_page.cmake

# A SHA-256 in base64, as the policy wants it. CMake knows only hexadecimal digits.
function(sha256_base64 text result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  set(encoded "")
  # 32 bytes are ten groups of three and one of two. A group of three is six digits or four letters.
  string(APPEND hex "00")
  foreach(begin RANGE 0 60 6)
    string(SUBSTRING "${hex}" ${begin} 6 digits)
    foreach(shift 18 12 6 0)
      math(EXPR index "(0x${digits} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${index} 1 letter)
      string(APPEND encoded "${letter}")
    endforeach()
  endforeach()
  string(SUBSTRING "${encoded}" 0 43 encoded)
  set(${result} "${encoded}=" PARENT_SCOPE)
endfunction()

file(STRINGS "${WEB}/modules.txt" modules)
set(script "")
foreach(module IN LISTS modules)
  file(READ "${WEB}/${module}" text)
  string(APPEND script "\n${text}")
endforeach()
string(REGEX REPLACE "\nimport [^;]*;" "" script "${script}")
string(REPLACE "\nexport " "\n" script "${script}")
file(READ "${WEB}/attention.css" style)
file(READ "${WEB}/attention.html" page)
sha256_base64("${script}" script_hash)
sha256_base64("${style}" style_hash)
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
file(WRITE "${OUTPUT}" "${page}")
