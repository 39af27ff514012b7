#include "heed/server/heed_documents.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/runs/po_translation.h"
#include "heed/server/asked_document.h"
#include "heed/server/asked_path.h"
#include "heed/server/http_text.h"
#include "heed/server/service.h"

namespace heed {

namespace {

const ParameterValue& file_of(const Parameters& parameters) {
  const ParameterValue* file = parameters.find("file");
  if (file == nullptr || file->kind != ParameterValue::Kind::text)
    throw Refusal(400, "Invalid request: missing file parameter");
  return *file;
}

std::string format_of(const Parameters& parameters, const ParameterValue& file) {
  if (std::optional<std::string> format = parameters.text("format")) return *std::move(format);
  const std::string ending = lower_case(std::filesystem::path(file.file).extension().string());
  if (ending == ".po" || ending == ".pot") return "po";
  if (ending == ".html" || ending == ".htm" || ending == ".xhtml") return "html";
  return ending == ".xml" ? "xml" : "text";
}

void check_size(const std::vector<std::string>& texts, const RequestLimits& limits) {
  if (const int64_t size = count_characters(texts); size > limits.characters)
    throw Refusal(400, fmt::format("Invalid request: {} characters, but at most {} are allowed",
                                   size, limits.characters));
}

// Never as a page of ours: it is whatever somebody has sent.
HttpReply file_reply(std::string text, size_t reported) {
  return {.body = std::move(text),
          .type = "application/octet-stream",
          .headers = {{"Content-Disposition", "attachment"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Heed-Reported", fmt::format("{}", reported)}}};
}

// A PO file that is being translated.
struct OpenPoFile {
  OpenPoFile(const std::string& text, const PoOptions& options) : file(text), task(file, options) {}

  HttpReply filled(const JobResult& result) {
    std::vector<FinishedDocument> finished;
    for (const TranslatedText& text : result.texts) finished.push_back({text.text, text.reported});
    const PoProgress progress = task.fill(finished);
    return file_reply(file.text(), progress.reported.size());
  }

  PoFile file;
  PoTask task;
};

std::shared_ptr<OpenPoFile> open_po(const std::string& text, const Parameters& parameters) {
  PoOptions options;
  if (!parameters.truth("fuzzy").value_or(true)) options.mark = FuzzyMark::not_set;
  try {
    return std::make_shared<OpenPoFile>(text, options);
  } catch (const Error& error) {
    throw Refusal(400, fmt::format("Invalid request: {}", error.what()));
  }
}

}  // namespace

std::vector<RouteField> document_fields() {
  using FieldType = RouteField::Type;
  return {{"file", FieldType::file, "The document, as a file of a multipart form", true},
          {"source", FieldType::text, "Its language, or auto (default)"},
          {"target", FieldType::text, "The language to translate to"},
          {"format", FieldType::text, "text, html, xml or po (default: by the name of the file)"},
          {"attributes", FieldType::truth, "Also attributes of HTML that people read"},
          {"pivot", FieldType::text, "A third language to go through"},
          {"tag", FieldType::text, "One of the tags of the (last) model, such as a domain"},
          {"fuzzy", FieldType::truth, "Whether new translations of a PO file are marked as fuzzy"}};
}

void translate_document(const Call& call) {
  const Parameters& parameters = *call.parameters;
  const auto models = call.service.models();
  const ParameterValue& file = file_of(parameters);
  const std::string format = format_of(parameters, file);
  TranslationJob job{.texts = {file.text}};
  std::shared_ptr<OpenPoFile> po;
  if (format == "po") {
    po = open_po(file.text, parameters);
    job.texts = po->task.texts();
  }
  check_size(job.texts, call.service.limits());
  job.document = document_options(po ? "text" : format, "");
  const AskedPath asked = asked_path(parameters, *models, job.texts, job.document.kind);
  job.document.language = asked.source;
  job.set_path(asked.path);
  if (!asked.path.empty()) job.tag = asked_tag(parameters, *asked.path.back());
  job.document.attributes = parameters.truth("attributes").value_or(false);
  call.service.translate(
      call, std::move(job),
      [po](const JobResult& result) {
        if (po) return po->filled(result);
        const TranslatedText& text = result.texts.front();
        return file_reply(text.text, text.reported.size());
      },
      ReplyWork::long_work);
}

}  // namespace heed
