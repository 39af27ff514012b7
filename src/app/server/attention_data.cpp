#include "heed/server/attention_data.h"

#include "heed/runs/attention_picture.h"
#include "heed/runs/attention_text.h"
#include "heed/visualisation/attention_page.h"

namespace heed {

namespace {

HeadTable table_of(const AttentionView& view, const HeadCounts& counts) {
  RecordedHeads heads(counts);
  heads.add(view.recording);
  return heads.table();
}

}  // namespace

std::string attention_for_programs(const AttentionView& view, const HeadCounts& counts) {
  return attention_json(view, table_of(view, counts), clearest_head(view, counts, {}));
}

std::string attention_for_page(const AttentionView& view, const HeadCounts& counts,
                               const std::vector<HeadName>& without) {
  const HeadTable heads = table_of(view, counts);
  AttentionPage page{.first = page_head(clearest_head(view, counts, {})),
                     .columns = figure_columns(heads),
                     .rows = page_rows(heads),
                     .sentences = page_sentences({view}, 0)};
  for (const HeadName& head : without) page.off.push_back(page_head(head));
  return attention_page_json(page);
}

}  // namespace heed
