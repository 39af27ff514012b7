#include "heed/data/moses_prefixes.h"

#include <algorithm>
#include <iterator>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::moses {

namespace {

// Abbreviations with full stops inside, such as "e.g", need no list: they always keep the last.
struct Prefixes {
  std::string_view language;
  std::string_view words;
  std::string_view before_numbers = {};
  std::string_view letters = "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z";  // initials
  int ordinals = 0;  // up to this number: "3. Mai"
};

constexpr std::string_view all_letters =
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z "
    "a b c d e f g h i j k l m n o p q r s t u v w x y z";
constexpr std::string_view letters_of_russian =
    "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z "
    "А Б В Г Д Е Ж З И Й К Л М Н О П Р С Т У Ф Х Ц Ч Ш Щ Э Ю Я";

constexpr Prefixes known[] = {
    {.language = "en",
     .words = "Adm Asst Brig Bros Capt Cmdr Col Corp Cpl DR Dr Drs Ens Gen Gov Hon Insp Lt MR MRS "
              "MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Ph Prof Pvt Rep Reps Rev Sen Sens Sgt Sr St "
              "Supt rev v vs",
     .before_numbers = "Art No Nos Nr pp"},
    {.language = "cs",
     .words = "Bc Dr Ing JUDr MUDr Mgr PhDr Prof RNDr Sv angl apod atd cca doc dr fr hl ing jap "
              "kap kpt lat max mil min mj mld např nám něm obr odst par plk popř por pozn prof př "
              "příp resp roč sl st str sv tab tel tis tj tzn tzv ul vol vyd zejm zvl č čes čl",
     .letters = ""},
    {.language = "de",
     .words = "Abb Abs Art Aufl Bd Bhf Bsp Co Dipl Dr Fa Fr Frl Gen Hr Hrn Hrsg Ing Jh Kap Lt Mag "
              "Mio Mr Mrd Mrs Nr Prof Sr St Std Str Tel Vgl Ziff allg bspw bzgl bzw ca dgl ebd "
              "etc evtl exkl geb gegr gest ggf inkl insb jun max min mind rd sog usf usw vgl zzgl",
     .letters = all_letters,
     .ordinals = 99},
    {.language = "es",
     .words = "Av Avda Cía Dn Dr Dra Dres Dña Excmo Fr Gral Ilmo Lic Ltda Mons Mr Mrs Prof Profa "
              "Sgto Sr Sra Sras Sres Srta Sta Sto Tte Ud Uds Vd Vds aprox art cap cía ej etc fig "
              "núm pág págs tel vol vs",
     .before_numbers = "No Núm"},
    {.language = "fi",
     .words = "Dr Hra Mr Mrs Nti Prof Rva alk ap eKr em ent esim fil hra huom ilm ins jKr jne jr "
              "kand kapt kirj klo kpl ks ku lv maist milj ml mm mrd ns nti nyk oik os prof puh "
              "rva synt toht ts tv vrt yht yms yo"},
    {.language = "fr",
     .words = "Ch Cie Dr Dre Fig Jr Lt MM Mgr Mlle Mlles Mme Mmes Mr Pr Prof St Ste adj apr art av "
              "bd boul cf chap coll dép env etc ex fig hab int max min obs pers prov réf suiv "
              "suppl tél vol vs éd",
     .letters = all_letters},
    {.language = "it",
     .words = "Arch Avv Cav Co Comm Dott Dr Egr Gen Geom Ing Jr Mons Mr Mrs On Prof Rag Rev Sen "
              "Sig Sigg St art avv ca cap cfr dott ecc es fig ing pag pagg prof sec seg sig tel "
              "vol vs",
     .before_numbers = "No Nr n nr pp"},
    {.language = "nl",
     .words = "Dhr Dr Drs Ds Gen Ing Ir Jhr Kap Lt Mej Mevr Mgr Mr Mrs Mw Prof St bijv blz bv ca "
              "dhr dr drs enz evt excl fig incl ing ir jl jr max mevr min mr mw ong prof resp vgl "
              "vs zgn",
     .before_numbers = "Nr art nr nrs"},
    {.language = "pl",
     .words = "Dr Gen Inż Ks Mgr Mr Mrs Płk Prof Ul adm al art cz dn doc dr dyr gen godz hab im "
              "inż itd itp kard kpt ks lek mgr mies min mjr mld mln np nr ob oprac os pl por poz "
              "prof przyp płk płn red rys str sz tel tj tys tzn tzw tłum ul ur ust wg woj ww wyd "
              "zob św śp"},
    {.language = "pt",
     .words = "Av Cap Cel Cia Dr Dra Drs Eng Exa Exma Exmo Gen Gov Ilmo Jr Ltda Mr Mrs Prof Profa "
              "Rev Sr Sra Sras Srs Srta Sta Sto Ten art cap cf ed etc ex fig pág págs tel vol vs",
     .before_numbers = "Art No Nr pp",
     .letters = all_letters},
    {.language = "ru",
     .words = "Др Проф Св Стр Тел Ул г гг гл гр д др им кв км коп корп лит м мл млн млрд н напр "
              "нач обл п пер пл пос просп проф р рис руб с св см ст стр т тел тов тыс ул ч чел экз",
     .letters = letters_of_russian},
    {.language = "sv",
     .words = "Dr Fig Hr Kap Lt Mr Mrs Prof St ca dr dvs etc ex exkl forts förf hr inkl jfr kap kl "
              "max min osv prof resp sk st tel ung vs"}};

void append_words(std::string_view words, std::string_view after, std::vector<std::string>& to) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (end > 0) to.push_back(std::string(words.substr(0, end)) + std::string(after));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

}  // namespace

std::vector<std::string> parse_prefixes(std::string_view text, std::string_view name) {
  require(is_utf8(text), "{}: is not UTF-8", name);
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string> prefixes;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    const size_t begin = line.find_first_not_of(blanks);
    if (begin == line.npos || line[begin] == '#') continue;
    prefixes.emplace_back(line.substr(begin, line.find_last_not_of(blanks) + 1 - begin));
  }
  return prefixes;
}

std::vector<std::string> own_prefixes(std::string_view language) {
  const auto* found = std::ranges::find(known, language, &Prefixes::language);
  if (found == std::end(known)) found = std::begin(known);
  std::vector<std::string> prefixes;
  append_words(found->letters, "", prefixes);
  append_words(found->words, "", prefixes);
  append_words(found->before_numbers, " #NUMERIC_ONLY#", prefixes);
  for (int i = 1; i <= found->ordinals; ++i) prefixes.push_back(std::to_string(i));
  return prefixes;
}

}  // namespace heed::moses
