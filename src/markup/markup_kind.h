#pragma once

namespace heed {

// How a document is written. In plain text, tags are only what looks like nothing else.
enum class MarkupKind { text, html, xml };

}  // namespace heed
