#include "heed/server/openapi.h"

#include <algorithm>

#include "heed/base/json.h"
#include "heed/server/http_text.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;
using FieldType = RouteField::Type;

Json schema_of(FieldType type) {
  const auto plain = [](const char* name) { return json_object<Json>({{"type", name}}); };
  switch (type) {
    case FieldType::text:
      return plain("string");
    case FieldType::whole_number:
      return plain("integer");
    case FieldType::number:
      return plain("number");
    case FieldType::truth:
      return plain("boolean");
    case FieldType::file:
      return json_object<Json>({{"type", "string"}, {"format", "binary"}});
    case FieldType::texts: {
      const Json list = json_object<Json>({{"type", "array"}, {"items", plain("string")}});
      return json_object<Json>({{"oneOf", Json::array({plain("string"), list})}});
    }
  }
  return {};
}

Json body_of(const Route& route) {
  Json properties = Json::object(), required = Json::array();
  for (const RouteField& field : route.fields) {
    properties[field.name] = schema_of(field.type);
    properties[field.name]["description"] = field.what;
    if (field.is_required) required.push_back(field.name);
  }
  Json schema = json_object<Json>({{"type", "object"}, {"properties", properties}});
  if (!required.empty()) schema["required"] = required;
  const bool has_file =
      std::ranges::find(route.fields, FieldType::file, &RouteField::type) != route.fields.end();
  Json content = Json::object();
  if (!has_file)
    for (const char* type : {"application/json", "application/x-www-form-urlencoded"})
      content[type] = json_object<Json>({{"schema", schema}});
  content["multipart/form-data"] = json_object<Json>({{"schema", schema}});
  return json_object<Json>({{"required", true}, {"content", content}});
}

Json parameter(const std::string& name, const char* place, bool is_required, Json schema,
               const std::string& what) {
  return json_object<Json>({{"name", name},
                            {"in", place},
                            {"required", is_required},
                            {"description", what},
                            {"schema", std::move(schema)}});
}

Json parameters_of(const Route& route) {
  Json list = Json::array();
  for (size_t at = route.path.find('{'); at != route.path.npos; at = route.path.find('{', at + 1))
    list.push_back(parameter(route.path.substr(at + 1, route.path.find('}', at) - at - 1), "path",
                             true, schema_of(FieldType::text), "Part of the path"));
  if (route.method == "GET")
    for (const RouteField& field : route.fields)
      list.push_back(
          parameter(field.name, "query", field.is_required, schema_of(field.type), field.what));
  return list;
}

Json responses_of(const Route& route) {
  const auto described = [](const char* what) {
    return json_object<Json>({{"description", what}});
  };
  Json responses = json_object<Json>({{"200", described("Done")}});
  if (!route.fields.empty()) responses["400"] = described("Something is wrong with the request");
  if (route.needs_key) {
    responses["403"] = described("The key is missing or wrong");
    responses["429"] = described("Too many requests");
    responses["456"] = described("The quota is used up");
  }
  responses["503"] = described("Busy, loading or ending");
  return responses;
}

}  // namespace

std::string openapi_document(const RouteTable& routes) {
  Json paths = Json::object();
  for (const Route& route : routes.routes()) {
    Json operation =
        json_object<Json>({{"summary", route.summary}, {"responses", responses_of(route)}});
    const Json parameters = parameters_of(route);
    if (!parameters.empty()) operation["parameters"] = parameters;
    if (route.method == "POST" && !route.fields.empty()) operation["requestBody"] = body_of(route);
    if (route.needs_key)
      operation["security"] =
          Json::array({json_object<Json>({{"key", Json::array()}}), Json::object()});
    if (!paths.contains(route.path)) paths[route.path] = Json::object();
    paths[route.path][lower_case(route.method)] = operation;
  }
  const Json document = json_object<Json>(
      {{"openapi", "3.0.3"},
       {"info", json_object<Json>({{"title", "heed"}, {"version", "1"}})},
       {"paths", paths},
       {"components",
        json_object<Json>(
            {{"securitySchemes",
              json_object<Json>(
                  {{"key", json_object<Json>({{"type", "http"}, {"scheme", "bearer"}})}})}})}});
  return document.dump();
}

}  // namespace heed
