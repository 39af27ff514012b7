// Models of others as they are shipped, and what lies beside a model: adapters and shortlists.
#pragma once

#include "argos_sample.h"
#include "heed/folders/adapter_file.h"
#include "heed/folders/argos_package.h"
#include "heed/folders/ctranslate2_vmap.h"
#include "heed/folders/model_folder.h"
#include "heed/folders/shortlist_file.h"
#include "llama_folder.h"
#include "reader.h"
#include "round_trip.h"
#include "small_model.h"
#include "tensors.h"

namespace heed::testing {

inline Reader argos_reader() {
  return {
      .name = "ArgosPackage",
      .write =
          [](const TemporaryFolder& folder) {
            folder.put("a.argosmodel", argos_archive(argos_parts(small_translator({}))));
          },
      .files = {"a.argosmodel"},
      .read =
          [](const TemporaryFolder& folder) { read_argos_package(folder.path("a.argosmodel")); },
      .refused = 0.2};
}

inline Reader llama_reader() {
  return {.name = "Llama",
          .write =
              [](const TemporaryFolder& folder) {
                const LlamaFolder made;
                for (const auto& entry : std::filesystem::directory_iterator(made.path()))
                  std::filesystem::copy_file(entry.path(),
                                             folder.path(entry.path().filename().string()));
              },
          .files = {"model.safetensors", "config.json", "tokenizer.model"},
          .read = [](const TemporaryFolder& folder) { load_model_folder(folder.path("")); },
          .refused = 0.2};
}

inline Reader adapter_reader() {
  return {.name = "Adapter",
          .write =
              [](const TemporaryFolder& folder) {
                put_model(folder.path("base"));
                const std::string layer = "model.encoder.layers.0.fc1";
                const std::vector<Parameter> matrices = {
                    {layer + ".lora_A", random_tensor({2, 16}, 1)},
                    {layer + ".lora_B", random_tensor({32, 2}, 2)}};
                save_adapter(folder.path("adapter.safetensors"), matrices,
                             {2, 4, adapter_base(load_model_folder(folder.path("base")))});
              },
          .files = {"adapter.safetensors"},
          .read =
              [](const TemporaryFolder& folder) {
                load_adapted(folder.path("base"), folder.path("adapter.safetensors"));
              },
          .refused = 0.9};
}

inline Reader shortlist_reader() {
  return {.name = "Shortlist",
          .write =
              [](const TemporaryFolder& folder) {
                save_shortlist(folder.path(""), Shortlist({.frequent = {2, 3},
                                                           .offsets = {0, 1, 1, 3},
                                                           .targets = {8, 4, 5},
                                                           .with_source = false},
                                                          3, 9));
              },
          .files = {"shortlist.safetensors"},
          .read =
              [](const TemporaryFolder& folder) {
                const std::optional<Shortlist> found = load_shortlist(folder.path(""), 3, 9);
                for (const int32_t id : found->lists().targets) EXPECT_TRUE(id >= 0 && id < 9);
              },
          .refused = 0.9};
}

inline Reader vmap_reader() {
  return {.name = "CTranslate2Vmap",
          .write =
              [](const TemporaryFolder& folder) {
                folder.put("vmap.txt", "\ty\na\tx z unheard\nb a\tz\nunheard\tx\n");
              },
          .files = {"vmap.txt"},
          .read =
              [](const TemporaryFolder& folder) {
                const std::vector<std::string> source = {"</s>", "<unk>", "a", "b", "<pad>"},
                                               target = {"</s>", "<unk>", "x", "y", "z", "<pad>"};
                const auto found = ctranslate2::read_vmap(folder.path(""), source, target);
                for (const int32_t id : found->lists().targets)
                  EXPECT_TRUE(id >= 0 && id < static_cast<int32_t>(target.size()));
              },
          .refused = 0};
}

inline std::vector<Reader> small_package_readers() {
  return {adapter_reader(), shortlist_reader(), vmap_reader()};
}

inline std::vector<Reader> large_package_readers() { return {argos_reader(), llama_reader()}; }

}  // namespace heed::testing
