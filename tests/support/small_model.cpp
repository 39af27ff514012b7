// Writes the folder of a model that has learnt nothing: small_model FOLDER
#include "small_model.h"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  heed::testing::put_model(arguments[1]);
}
