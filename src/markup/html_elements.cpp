#include "heed/markup/html_elements.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

constexpr std::array<std::string_view, 80> blocks = {
    "address",  "applet",    "article",  "aside",      "audio",    "base",    "blockquote",
    "body",     "br",        "button",   "canvas",     "caption",  "center",  "col",
    "colgroup", "datalist",  "dd",       "details",    "dialog",   "dir",     "div",
    "dl",       "dt",        "fieldset", "figcaption", "figure",   "footer",  "form",
    "frame",    "frameset",  "h1",       "h2",         "h3",       "h4",      "h5",
    "h6",       "head",      "header",   "hgroup",     "hr",       "html",    "legend",
    "li",       "link",      "listing",  "main",       "map",      "menu",    "meta",
    "nav",      "noscript",  "object",   "ol",         "optgroup", "option",  "p",
    "param",    "plaintext", "pre",      "script",     "search",   "section", "select",
    "slot",     "source",    "style",    "summary",    "table",    "tbody",   "td",
    "template", "tfoot",     "th",       "thead",      "title",    "tr",      "track",
    "ul",       "video",     "xmp"};
static_assert(std::ranges::is_sorted(blocks));

constexpr std::array<std::string_view, 19> voids = {
    "area",  "base",   "basefont", "bgsound", "br",    "col",    "embed",  "frame", "hr", "img",
    "input", "keygen", "link",     "meta",    "param", "source", "spacer", "track", "wbr"};

constexpr std::array<std::string_view, 19> untouched = {
    "code", "iframe", "kbd",    "listing", "math", "noembed",  "noframes", "plaintext", "pre", "rp",
    "rt",   "samp",   "script", "style",   "svg",  "textarea", "tt",       "var",       "xmp"};

template <size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_block(std::string_view name) { return std::ranges::binary_search(blocks, name); }
bool is_void(std::string_view name) { return contains(voids, name); }
bool is_untouched(std::string_view name) { return contains(untouched, name); }

}  // namespace heed
