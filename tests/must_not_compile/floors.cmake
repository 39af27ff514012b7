# Rooms that break the rule of the floors, which the build must refuse.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/rooms.cmake")

heed_check_floors(cellar 1)
heed_check_floors(loft 3 cellar)
heed_check_floors(attic 3 cellar loft)
