#include "heed/markup/document.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "heed/base/error.h"
#include "heed/markup/attribute_texts.h"
#include "heed/markup/document_parts.h"
#include "heed/markup/entities.h"
#include "heed/markup/placeholders.h"
#include "heed/markup/placement.h"

namespace heed {

struct Document::Source {
  Source(std::string whole, const DocumentOptions& wanted)
      : options(wanted), text(std::move(whole)), parts(find_parts(text, options)) {}

  DocumentOptions options;
  std::string text;
  std::vector<DocumentPart> parts;
};

// A sentence that is being translated.
struct Document::Work {
  const Passage* passage = nullptr;
  const PassageSentence* sentence = nullptr;
  FixedTexts fixed = FixedTexts::shown;
  SentenceRequest request = {};
  std::string translation = {};
  PlacedSentence placed = {};
  bool is_done = false;
  bool is_reported = false;
};

// A value of attributes, which may stand in many places. A text of its own.
struct Document::Attribute {
  std::string_view raw;  // in the page
  std::string plain;     // what it says
  Document text;
};

namespace {

// Elements that no word got come around a word that is aligned to them, or stay empty.
void place_forsaken(const Passage& passage, const std::vector<Forsaken>& candidates,
                    std::vector<Placed>& pieces) {
  std::set<uint32_t> seen;
  for (const Placed& piece : pieces) seen.insert(piece.stack.begin(), piece.stack.end());
  const auto stack_of = [&](uint32_t element, Stack stack) {
    const Stack& outer = passage.elements[element].outer;
    stack.insert(stack.end(), outer.begin(), outer.end());
    stack.push_back(element);
    std::ranges::sort(stack);
    stack.erase(std::unique(stack.begin(), stack.end()), stack.end());
    return stack;
  };
  for (const Forsaken& candidate : candidates) {
    if (!candidate.is_word || seen.contains(candidate.element)) continue;
    Stack& stack = pieces[candidate.piece].stack;
    stack = stack_of(candidate.element, std::move(stack));
    seen.insert(stack.begin(), stack.end());
  }
  for (uint32_t element = 0; element < passage.elements.size(); ++element) {
    if (seen.contains(element)) continue;
    pieces.push_back({"", stack_of(element, {})});
    seen.insert(pieces.back().stack.begin(), pieces.back().stack.end());
  }
}

// As it is written, unless what comes to stand behind it could make a tag of it: "a <" and "b>".
std::string written(const Passage& passage, const PassagePart& part) {
  const bool is_safe = part.kind != PartKind::text || part.raw.find('<') == part.raw.npos;
  if (!part.raw.empty() && is_safe) return std::string(part.raw);
  return encode_entities(std::string_view(passage.text).substr(part.text.begin, part.text.size()),
                         passage.kind);
}

// Parts that are not translated.
void copy_parts(const Passage& passage, size_t begin, size_t end, std::vector<Placed>& pieces) {
  for (size_t i = begin; i < end; ++i)
    pieces.push_back({written(passage, passage.parts[i]), passage.stacks[passage.parts[i].stack]});
}

}  // namespace

Document::Document(std::string text, const DocumentOptions& options)
    : source_(std::make_shared<const Source>(std::move(text), options)) {
  constexpr size_t most_shown = 64;  // of fixed texts in a sentence
  for (const DocumentPart& part : source_->parts) {
    first_work_.push_back(work_.size());
    if (!part.passage) continue;
    for (const PassageSentence& sentence : part.passage->sentences) {
      if (!sentence.has_words) continue;
      work_.push_back({.passage = &*part.passage, .sentence = &sentence});
      ask(work_.size() - 1,
          sentence.fixed.size() > most_shown ? FixedTexts::cut_out : FixedTexts::shown);
    }
  }
  if (options.attributes && options.kind == MarkupKind::html) find_attributes();
}

Document::Document(const Document&) = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(const Document&) = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

void Document::ask(size_t work, FixedTexts fixed) {
  Work& own = work_[work];
  own.fixed = fixed;
  own.request = make_request(*own.passage, *own.sentence, fixed);
  pending_.push_back({.text = own.request.text, .needs_links = own.request.needs_links()});
  pending_work_.push_back(work);
}

void Document::settle(size_t work, const TranslatedSentence& translation) {
  Work& own = work_[work];
  std::optional<std::vector<TextRange>> copies = find_copies(own.request, translation);
  const bool can_retry = own.fixed == FixedTexts::shown && !own.sentence->fixed.empty();
  if (!copies && can_retry) return ask(work, FixedTexts::cut_out);
  own.is_reported = !copies;
  own.translation = translation.text;
  own.placed =
      place(*own.passage, own.request, translation, copies.value_or(std::vector<TextRange>()));
  own.is_done = true;
}

void Document::take(std::span<const TranslatedSentence> translations) {
  require(translations.size() == pending_.size(), ErrorKind::usage,
          "document: {} translations for {} sentences", translations.size(), pending_.size());
  pending_.clear();
  const std::vector<size_t> answered = std::exchange(pending_work_, {});
  for (size_t i = 0; i < answered.size(); ++i) settle(answered[i], translations[i]);
  std::span<const TranslatedSentence> rest = translations.subspan(answered.size());
  for (Attribute& attribute : attributes_) {
    const size_t count = attribute.text.pending().size();
    attribute.text.take(rest.first(count));
    rest = rest.subspan(count);
  }
  ask_for_attributes();
}

void Document::find_attributes() {
  std::set<std::string_view> seen;
  const DocumentOptions options = {
      .language = source_->options.language,
      .split = source_->options.split.value_or(SentenceSplit::punctuation)};
  for (const AttributeText& found : find_attribute_texts(source_->text, source_->options)) {
    if (!seen.insert(found.raw).second) continue;
    const std::string plain = decode_entities(found.raw, MarkupKind::html);
    Document text(plain, options);
    if (!text.pending().empty()) attributes_.push_back({found.raw, plain, std::move(text)});
  }
  ask_for_attributes();
}

void Document::ask_for_attributes() {
  for (const Attribute& attribute : attributes_)
    pending_.insert(pending_.end(), attribute.text.pending().begin(),
                    attribute.text.pending().end());
}

size_t Document::line_at(const char* place) const {
  return 1 + static_cast<size_t>(std::count(source_->text.data(), place, '\n'));
}

size_t Document::line_of(const Work& work) const {
  for (size_t part = work.sentence->first_part;; --part) {
    const std::string_view raw = work.passage->parts[part].raw;
    if (!raw.empty() || part == 0) return line_at(raw.empty() ? source_->text.data() : raw.data());
  }
}

std::string Document::render_passage(size_t part) const {
  const Passage& passage = *source_->parts[part].passage;
  std::vector<Placed> pieces;
  std::vector<Forsaken> forsaken;
  size_t from = 0, work = first_work_[part];
  bool has_changed = false;
  for (const PassageSentence& sentence : passage.sentences) {
    if (!sentence.has_words) continue;
    const Work& own = work_[work++];
    if (!own.is_done) continue;
    has_changed = true;
    copy_parts(passage, from, sentence.first_part, pieces);
    from = sentence.end_part;
    for (Forsaken candidate : own.placed.forsaken) {
      candidate.piece += pieces.size();
      forsaken.push_back(candidate);
    }
    pieces.insert(pieces.end(), own.placed.pieces.begin(), own.placed.pieces.end());
  }
  if (!has_changed) return std::string(source_->parts[part].raw);
  copy_parts(passage, from, passage.parts.size(), pieces);
  place_forsaken(passage, forsaken, pieces);
  return render(passage, pieces);
}

// Tags come out as they went in, so that their values are found by how they are written.
std::string Document::with_attributes(const std::string& page) const {
  std::map<std::string_view, std::string> texts;
  for (const Attribute& attribute : attributes_)
    if (std::string text = attribute.text.finish().text; text != attribute.plain)
      texts.emplace(attribute.raw, std::move(text));
  std::string written;
  size_t from = 0;
  for (const AttributeText& found : find_attribute_texts(page, source_->options)) {
    const auto text = texts.find(found.raw);
    if (text == texts.end()) continue;
    written.append(page, from, found.whole.begin - from);
    written += with_text(found, page, text->second);
    from = found.whole.end;
  }
  return written.append(page, from);
}

FinishedDocument Document::finish() const {
  FinishedDocument finished;
  for (size_t i = 0; i < source_->parts.size(); ++i)
    if (source_->parts[i].passage)
      finished.text += render_passage(i);
    else
      finished.text += source_->parts[i].raw;
  for (const Work& work : work_)
    if (work.is_reported)
      finished.reported.push_back(
          {.line = line_of(work), .source = work.request.text, .translation = work.translation});
  if (attributes_.empty()) return finished;
  finished.text = with_attributes(finished.text);
  for (const Attribute& attribute : attributes_) {
    const size_t line = line_at(attribute.raw.data());
    for (ReportedSentence reported : attribute.text.finish().reported) {
      reported.line += line - 1;
      finished.reported.push_back(std::move(reported));
    }
  }
  return finished;
}

}  // namespace heed
