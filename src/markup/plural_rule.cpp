#include "heed/markup/plural_rule.h"

#include <array>
#include <charconv>

namespace heed {

namespace {

// Reads an expression from left to right: the ternary, then two-sided operators by how tightly
// they bind, then what they are between.
class Expression {
 public:
  Expression(std::string_view text, int64_t n) : text_(text), n_(n) {}

  std::optional<int64_t> value() {
    const std::optional<int64_t> result = ternary();
    skip_blanks();
    return text_.empty() ? result : std::nullopt;
  }

 private:
  using Value = std::optional<int64_t>;

  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\t' || text_[0] == '\n'))
      text_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.starts_with(sign)) return false;
    text_.remove_prefix(sign.size());
    return true;
  }

  Value ternary() {
    if (++depth_ > deepest) return std::nullopt;
    Value result = binary(0);
    if (result && take("?")) {
      const Value yes = ternary();
      if (!yes || !take(":")) return std::nullopt;
      const Value no = ternary();
      if (!no) return std::nullopt;
      result = *result != 0 ? yes : no;
    }
    --depth_;
    return result;
  }

  Value binary(size_t level) {
    if (level == operators.size()) return single();
    Value left = binary(level + 1);
    while (left) {
      std::string_view sign;
      for (const std::string_view candidate : operators[level])
        if (sign.empty() && !candidate.empty() && take(candidate)) sign = candidate;
      if (sign.empty()) break;
      const Value right = binary(level + 1);
      left = right ? apply(sign, *left, *right) : std::nullopt;
    }
    return left;
  }

  Value single() {
    if (take("!")) {
      if (++depth_ > deepest) return std::nullopt;
      const Value inner = single();
      --depth_;
      return inner ? Value(*inner == 0) : std::nullopt;
    }
    if (take("(")) {
      const Value inner = ternary();
      return inner && take(")") ? inner : std::nullopt;
    }
    if (take("n")) return n_;
    skip_blanks();
    int64_t number = 0;
    const auto [end, reason] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (reason != std::errc() || number < 0) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return number;
  }

  static Value apply(std::string_view sign, int64_t a, int64_t b) {
    if (sign == "||") return a != 0 || b != 0;
    if (sign == "&&") return a != 0 && b != 0;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    constexpr int64_t largest = 1'000'000'000;
    if (a > largest || b > largest || a < -largest || b < -largest) return std::nullopt;
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (b == 0) return std::nullopt;
    return sign == "/" ? a / b : a % b;
  }

  static constexpr std::array<std::array<std::string_view, 4>, 6> operators = {
      {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};
  static constexpr int deepest = 100;

  std::string_view text_;
  int64_t n_;
  int depth_ = 0;
};

}  // namespace

std::optional<int64_t> evaluate_plural(std::string_view expression, int64_t n) {
  return Expression(expression, n).value();
}

std::optional<PluralRule> PluralRule::parse(std::string_view value) {
  constexpr std::string_view number = "nplurals=", expression = "plural=";
  const size_t found = value.find(number);
  if (found == value.npos) return std::nullopt;
  const std::string_view digits = value.substr(found + number.size());
  PluralRule rule;
  const auto [end, reason] =
      std::from_chars(digits.data(), digits.data() + digits.size(), rule.forms);
  constexpr int most_forms = 10;
  if (reason != std::errc() || rule.forms < 1 || rule.forms > most_forms) return std::nullopt;
  const size_t begin = value.find(expression, found + number.size());
  if (begin == value.npos) return rule;
  std::string_view text = value.substr(begin + expression.size());
  text = text.substr(0, text.find(';'));
  const std::optional<int64_t> form = evaluate_plural(text, 1);
  if (form && *form >= 0 && *form < rule.forms) rule.singular_form = static_cast<int>(*form);
  return rule;
}

}  // namespace heed
