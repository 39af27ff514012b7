#include "heed/base/json.h"

template class nlohmann::detail::serializer<heed::JsonValue>;
template class nlohmann::detail::serializer<heed::OrderedJsonValue>;
