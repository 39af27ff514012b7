// Writes the folder of a model that has learnt nothing: small_model FOLDER [language|encoder]
#include "small_model.h"

#include <string_view>

#include "small_bert.h"
#include "small_language_model.h"

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const std::string_view kind = count > 2 ? arguments[2] : "translator";
  if (kind == "language")
    heed::testing::put_language_model(arguments[1]);
  else if (kind == "encoder")
    heed::testing::put_bert(arguments[1]);
  else
    heed::testing::put_model(arguments[1]);
}
