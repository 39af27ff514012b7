// Attention as text: a view as a line of JSON and as a part of the page, the heads as a table.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/decoding/head_table.h"
#include "heed/runs/attention_view.h"
#include "heed/visualisation/attention_page.h"

namespace heed {

// The figures of a head, by their names in tables, in JSON and on the page; those that it has.
std::vector<std::pair<std::string, double>> named_figures(const DescribedHead& head);

// What the figures of some table are called, and what they mean.
std::vector<PageColumn> figure_columns(const HeadTable& table);
std::vector<PageColumn> figure_columns(const std::vector<PageRow>& rows);

// One object without line breaks. Weights read back as the same float32. `shown` is the head that a
// picture of the view would show.
std::string attention_json(const AttentionView& view, const HeadTable& heads,
                           const HeadName& shown);
std::string attention_json(const AttentionView& view, std::string_view heads,  // see heads_json
                           const HeadName& shown);

// A list of objects without line breaks: each head's name, role and figures.
std::string heads_json(const std::vector<PageRow>& rows);

// A table over a text: for programs, one object without line breaks; for people, a line per head.
std::string head_table_json(const HeadTable& table);
std::string head_table_text(const HeadTable& table);
std::string head_table_svg(const HeadTable& table, const std::string& title);

PageHead page_head(const HeadName& head);
std::vector<PageRow> page_rows(const HeadTable& heads);

// Whether a page has only the weights of a view, because the text is long. Norms and gradients
// would make it three times as large.
bool page_has_only_weights(const AttentionView& view);

// A translation and its alternatives, which follow in the list of sentences; `place` is that of the
// translation in the list.
std::vector<PageSentence> page_sentences(const std::vector<AttentionView>& views, size_t place);

}  // namespace heed
