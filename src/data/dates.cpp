#include "heed/data/dates.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <span>

#include "heed/base/error.h"

namespace heed {

namespace {

using std::chrono::sys_days;

// In a style, these letters after a % stand for parts of the date; all other characters for
// themselves.
//   %d the day, as the language writes it before a month
//   %D the day with two digits
//   %o the day as an English ordinal: 3rd
//   %a the Italian article with its space, if it has one
//   %m the month's name
//   %s its abbreviation
//   %M its number with two digits
//   %w the weekday's name
//   %y the year
struct Language {
  std::array<std::string_view, 12> months;  // in the grammatical case used after a day
  std::array<std::string_view, 7>
      weekdays;                // from Monday on, in the grammatical case used before a day
  std::string_view first_day;  // how the first day of a month is written
  std::span<const std::string_view> styles;
};

constexpr std::array<std::string_view, 12> english_abbreviations{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

constexpr std::string_view english_styles[] = {
    "%m %d, %y",     "%m %o, %y",     "%d %m %y",     "%o of %m %y", "the %o of %m, %y",
    "%w, %m %d, %y", "%w, %m %o, %y", "%w, %d %m %y", "%d %s %y",    "%s %d, %y",
};
constexpr std::string_view french_styles[] = {"%d %m %y", "le %d %m %y", "%w %d %m %y",
                                              "le %w %d %m %y"};
constexpr std::string_view german_styles[] = {"%d. %m %y",         "am %d. %m %y", "%w, %d. %m %y",
                                              "%w, den %d. %m %y", "%D.%M.%y",     "den %D.%M.%y"};
constexpr std::string_view spanish_styles[] = {"%d de %m de %y", "el %d de %m de %y",
                                               "%w, %d de %m de %y", "el %w %d de %m de %y"};
constexpr std::string_view italian_styles[] = {"%d %m %y", "%a%d %m %y", "%w %d %m %y"};
constexpr std::string_view portuguese_styles[] = {"%d de %m de %y", "em %d de %m de %y",
                                                  "%w, %d de %m de %y"};
constexpr std::string_view dutch_styles[] = {"%d %m %y", "op %d %m %y", "%w %d %m %y"};
constexpr std::string_view swedish_styles[] = {"%d %m %y", "den %d %m %y", "%wen den %d %m %y"};
constexpr std::string_view danish_styles[] = {"%d. %m %y", "den %d. %m %y", "%w den %d. %m %y"};
constexpr std::string_view polish_styles[] = {"%d %m %y", "%d %m %y r.", "%w, %d %m %y"};
constexpr std::string_view finnish_styles[] = {"%d. %m %y", "%w %d. %m %y"};

constexpr Language languages[] = {
    {.months = {"January", "February", "March", "April", "May", "June", "July", "August",
                "September", "October", "November", "December"},
     .weekdays = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
     .first_day = "1",
     .styles = english_styles},
    {.months = {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août",
                "septembre", "octobre", "novembre", "décembre"},
     .weekdays = {"lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"},
     .first_day = "1er",
     .styles = french_styles},
    {.months = {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
                "Oktober", "November", "Dezember"},
     .weekdays = {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"},
     .first_day = "1",
     .styles = german_styles},
    {.months = {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto",
                "septiembre", "octubre", "noviembre", "diciembre"},
     .weekdays = {"lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"},
     .first_day = "1",
     .styles = spanish_styles},
    {.months = {"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto",
                "settembre", "ottobre", "novembre", "dicembre"},
     .weekdays = {"lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica"},
     .first_day = "1º",
     .styles = italian_styles},
    {.months = {"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto",
                "setembro", "outubro", "novembro", "dezembro"},
     .weekdays = {"segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira",
                  "sábado", "domingo"},
     .first_day = "1º",
     .styles = portuguese_styles},
    {.months = {"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus",
                "september", "oktober", "november", "december"},
     .weekdays = {"maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"},
     .first_day = "1",
     .styles = dutch_styles},
    {.months = {"januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti",
                "september", "oktober", "november", "december"},
     .weekdays = {"måndag", "tisdag", "onsdag", "torsdag", "fredag", "lördag", "söndag"},
     .first_day = "1",
     .styles = swedish_styles},
    {.months = {"januar", "februar", "marts", "april", "maj", "juni", "juli", "august", "september",
                "oktober", "november", "december"},
     .weekdays = {"mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lørdag", "søndag"},
     .first_day = "1",
     .styles = danish_styles},
    {.months = {"stycznia", "lutego", "marca", "kwietnia", "maja", "czerwca", "lipca", "sierpnia",
                "września", "października", "listopada", "grudnia"},
     .weekdays = {"poniedziałek", "wtorek", "środa", "czwartek", "piątek", "sobota", "niedziela"},
     .first_day = "1",
     .styles = polish_styles},
    {.months = {"tammikuuta", "helmikuuta", "maaliskuuta", "huhtikuuta", "toukokuuta", "kesäkuuta",
                "heinäkuuta", "elokuuta", "syyskuuta", "lokakuuta", "marraskuuta", "joulukuuta"},
     .weekdays = {"maanantaina", "tiistaina", "keskiviikkona", "torstaina", "perjantaina",
                  "lauantaina", "sunnuntaina"},
     .first_day = "1",
     .styles = finnish_styles},
};

unsigned day_of(const Date& date) { return static_cast<unsigned>(date.day()); }
size_t month_index(const Date& date) { return static_cast<unsigned>(date.month()) - 1; }
size_t weekday_index(const Date& date) {
  return std::chrono::weekday(sys_days(date)).iso_encoding() - 1;
}

std::string english_ordinal(unsigned number) {
  const bool teen = number / 10 == 1;
  const unsigned last = number % 10;
  return fmt::format("{}{}", number,
                     teen || last == 0 || last > 3 ? "th"
                     : last == 1                   ? "st"
                     : last == 2                   ? "nd"
                                                   : "rd");
}

std::string part(char letter, const Language& language, const Date& date) {
  const unsigned day = day_of(date);
  switch (letter) {
    case 'd':
      return day == 1 ? std::string(language.first_day) : std::to_string(day);
    case 'D':
      return fmt::format("{:02}", day);
    case 'o':
      return english_ordinal(day);
    case 'a':
      // Before otto and undici, which begin with a vowel.
      return day == 8 || day == 11 ? "l'" : "il ";
    case 'm':
      return std::string(language.months[month_index(date)]);
    case 's':
      return std::string(english_abbreviations[month_index(date)]);
    case 'M':
      return fmt::format("{:02}", month_index(date) + 1);
    case 'w':
      return std::string(language.weekdays[weekday_index(date)]);
    case 'y':
      return fmt::format("{}", static_cast<int>(date.year()));
    default:
      fail("dates: a style has the unknown %{}", letter);
  }
}

std::string write(const Language& language, std::string_view style, const Date& date) {
  std::string text;
  for (size_t i = 0; i < style.size(); ++i) {
    if (style[i] == '%' && i + 1 < style.size()) {
      text += part(style[++i], language, date);
    } else {
      text += style[i];
    }
  }
  return text;
}

template <typename Range>
const auto& pick(Rng& rng, const Range& range) {
  return range[rng.below(std::size(range))];
}

std::optional<int> digits(std::string_view text) {
  int number = 0;
  for (const char character : text) {
    if (character < '0' || character > '9') return std::nullopt;
    number = 10 * number + (character - '0');
  }
  return number;
}

}  // namespace

std::string iso_date(const Date& date) {
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), month_index(date) + 1,
                     day_of(date));
}

std::optional<Date> parse_iso_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::optional<int> year = digits(text.substr(0, 4)), month = digits(text.substr(5, 2)),
                           day = digits(text.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const Date date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                  std::chrono::day(static_cast<unsigned>(*day)));
  return date.ok() ? std::optional(date) : std::nullopt;
}

std::vector<std::string> ways_to_write(const Date& date) {
  std::vector<std::string> ways;
  for (const Language& language : languages)
    for (const std::string_view style : language.styles)
      ways.push_back(write(language, style, date));
  return ways;
}

DateUse use_of(const Date& date) {
  constexpr uint32_t one_in = 10;
  const auto days = static_cast<uint32_t>(sys_days(date).time_since_epoch().count());
  return random_word(RandomKey{.low = 0x64617465u, .high = 0x0au}, days) % one_in == 0
             ? DateUse::test
             : DateUse::training;
}

DatePair random_date(Rng& rng, DateUse use) {
  constexpr sys_days first =
      Date(std::chrono::year(1900), std::chrono::January, std::chrono::day(1));
  constexpr sys_days end = Date(std::chrono::year(2100), std::chrono::January, std::chrono::day(1));
  const auto any_date = [&] {
    return Date(first + std::chrono::days(rng.below(static_cast<uint64_t>((end - first).count()))));
  };
  Date date = any_date();
  while (use_of(date) != use) date = any_date();
  const Language& language = pick(rng, languages);
  return {write(language, pick(rng, language.styles), date), iso_date(date)};
}

}  // namespace heed
