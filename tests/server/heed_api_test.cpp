// heed's own API.
#include <gtest/gtest.h>

#include <set>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/decoding/folder_translator.h"
#include "heed/folders/adapter_file.h"
#include "heed/folders/alignment_choice.h"
#include "heed/markup/po_file.h"
#include "heed/runs/attention_view.h"
#include "server_fixture.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

class HeedApiTest : public testing::ServerTest {
 protected:
  Json translate(const Json& more, int status = 200) const {
    Json body = {{"text", "ba ko ri"}, {"source", "en"}, {"target", "de"}};
    if (more.is_object()) body.update(more);
    const HttpAnswer answer = post("/v1/translate", body);
    EXPECT_EQ(answer.status, status) << more << answer.body;
    return json_of(answer);
  }
};

TEST_F(HeedApiTest, GivesWhatTheTranslatorGives) {
  start();
  const std::vector<Translation> best = translated("en-de", "ba ko ri", {.n_best = 3});
  const Json answer = translate({{"nbest", 3}});
  EXPECT_EQ(answer["source"], "en");
  EXPECT_EQ(answer["target"], "de");
  const Json& text = answer["translations"][0];
  EXPECT_EQ(text["text"], best[0].text);
  const Json& list = text["sentences"][0]["translations"];
  ASSERT_EQ(list.size(), best.size());
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(list[i]["text"], best[i].text);
    EXPECT_EQ(list[i]["score"], best[i].hypothesis.score);
    EXPECT_EQ(list[i]["log-probability"], best[i].hypothesis.log_probability);
  }
  EXPECT_FALSE(translate({})["translations"][0].contains("sentences"));
}

TEST_F(HeedApiTest, ATextThatIsInTheTargetAlreadyStaysAsItIs) {
  start([&](ServerSettings& settings) { settings.service.models.pop_back(); });
  const std::string german = "Der Hund und die Katze sind im Garten.";
  const Json answer = json_of(post("/v1/translate", {{"text", german}}));
  EXPECT_EQ(answer["source"], "de");
  EXPECT_EQ(answer["detected"]["language"], "de");
  EXPECT_EQ(answer["translations"][0]["text"], german);
}

TEST_F(HeedApiTest, TermsOfAGlossaryAppear) {
  const std::string file = folder_.put("terms", "ba\tkoriba\n");
  start([&](ServerSettings& settings) { add_glossary("en-de=" + file, settings.service.models); });
  const auto text = [&] { return translate({})["translations"][0]["text"].get<std::string>(); };
  EXPECT_NE((" " + text() + " ").find(" koriba "), std::string::npos) << text();
  // It is read again when it changes.
  folder_.put("terms", "ba\tgelo\n");
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_TRUE(server_->models_have_changed());
  server_->reload();
  EXPECT_NE((" " + text() + " ").find(" gelo "), std::string::npos) << text();
}

TEST_F(HeedApiTest, TranslatesAttributesWhereThatIsWanted) {
  start();
  const std::string best = translated("en-de", "ba ko").front().text;
  const auto text = [&](bool attributes) {
    return translate({{"text", "<img alt=\"ba ko\">"},
                      {"format", "html"},
                      {"attributes", attributes}})["translations"][0]["text"];
  };
  EXPECT_EQ(text(false), "<img alt=\"ba ko\">");
  EXPECT_EQ(text(true), "<img alt=\"" + best + "\">");
}

// Under a code of its own, as another kind of its language.
TEST_F(HeedApiTest, AnAdapterIsServedBesideItsModel) {
  put_pair("en-de", 5);
  const std::string file = folder_.path("law.safetensors");
  const auto put_adapter = [&](uint64_t seed) {
    const ModelFolder base = load_model_folder(folder_.path("en-de"));
    const std::vector<Parameter> matrices = {
        {"model.decoder.layers.0.fc1.lora_A", testing::random_tensor({2, 16}, seed)},
        {"model.decoder.layers.0.fc1.lora_B", testing::random_tensor({32, 2}, seed + 1)}};
    save_adapter(file, matrices, {2, 40, adapter_base(base)});
  };
  const auto adapted = [&] {
    const std::vector<std::string> lines = {"ba ko ri"};
    return make_translator(load_adapted(folder_.path("en-de"), file), {}, "en-de")
        .translate(lines)
        .front();
  };
  put_adapter(1);
  start([&](ServerSettings& settings) {
    settings.service.models = {named_folder(folder_.path("en-de")),
                               named_folder("en-de-x-law=" + folder_.path("en-de"))};
    add_adapter("en-de-x-law=" + file, settings.service.models);
  });
  const auto text = [&](const char* target) {
    return translate({{"target", target}})["translations"][0]["text"].get<std::string>();
  };
  const std::string plain = translated("en-de", "ba ko ri").front().text, before = adapted();
  EXPECT_NE(before, plain);
  EXPECT_EQ(text("de"), plain);
  EXPECT_EQ(text("de-x-law"), before);
  const Json deepl =
      json_of(post("/v2/translate",
                   {{"text", {"ba ko ri"}}, {"source_lang", "EN"}, {"target_lang", "DE-X-LAW"}}));
  EXPECT_EQ(deepl["translations"][0]["text"], before);
  // It is read again when it changes.
  put_adapter(3);
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_TRUE(server_->models_have_changed());
  server_->reload();
  EXPECT_NE(adapted(), before);
  EXPECT_EQ(text("de-x-law"), adapted());
  EXPECT_EQ(text("de"), plain);
}

// To this vocabulary, a tag is what it would be in the text.
TEST_F(HeedApiTest, ATagIsOneOfTheModel) {
  start([&](ServerSettings& settings) {
    testing::put_model(folder_.path("en-de"), 5, testing::small_config(), testing::short_lengths,
                       {.tags = {"ba", "zu"}});
    settings.service.models.push_back(named_folder("en-de-x-law=" + folder_.path("en-de")));
    add_tag("en-de-x-law=ba", settings.service.models);
  });
  const auto tokens = [&](const Json& more) {
    Json wanted = {{"details", {"tokens", "words"}}};
    wanted.update(more);
    return translate(wanted)["translations"][0]["sentences"][0]["translations"][0]["tokens"];
  };
  const Json expected = tokens({{"text", "ba ko ri"}});
  EXPECT_EQ(tokens({{"text", "ko ri"}, {"tag", "ba"}}), expected);
  EXPECT_EQ(tokens({{"text", "ko ri"}, {"tag", ">>ba<<"}}), expected);
  EXPECT_NE(tokens({{"text", "ko ri"}, {"tag", "zu"}}), expected);
  EXPECT_NE(tokens({{"text", "ko ri"}, {"tag", ""}}), expected);
  // Its usual one, for all APIs.
  EXPECT_EQ(tokens({{"text", "ko ri"}, {"target", "de-x-law"}}), expected);
  EXPECT_NE(tokens({{"text", "ko ri"}, {"target", "de-x-law"}, {"tag", "zu"}}), expected);
  const Json libre =
      json_of(post("/translate", {{"q", "ko ri"}, {"source", "en"}, {"target", "de-x-law"}}));
  EXPECT_EQ(libre["translatedText"], translated("en-de", "ba ko ri").front().text);
  const Json seen =
      json_of(post("/v1/attention", {{"text", "ko ri"}, {"source", "en"}, {"target", "de-x-law"}}));
  EXPECT_EQ(seen["source"]["words"][0], -1);
  EXPECT_EQ(seen["target"]["text"], libre["translatedText"]);
  EXPECT_EQ(translate({{"tag", "law"}}, 400)["error"],
            "Invalid request: the tag \"law\": the model has ba, zu");
  EXPECT_EQ(translate({{"tag", "ba"}, {"source", "de"}, {"target", "en"}}, 400)["error"],
            "Invalid request: the tag \"ba\": the model has no tags");
  const Json models = json_of(get("/v1/models"))["models"];
  for (const Json& model : models) {
    EXPECT_EQ(model.contains("tags"), model["name"] != "de-en");
    EXPECT_EQ(model.contains("tag"), model["name"] == "en-de-x-law");
  }
}

TEST_F(HeedApiTest, ATagThatTheModelLacksIsRefusedAtTheStart) {
  try {
    start([&](ServerSettings& settings) { add_tag("en-de=law", settings.service.models); });
    ADD_FAILURE() << "it was served";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_.path("en-de") + ": the tag \"law\": the model has no tags");
  }
}

// How a folder says it is searched with, and what its user found out about its heads.
TEST_F(HeedApiTest, SearchesAsIsUsualForTheModel) {
  put_pair("en-de", 5);
  const std::filesystem::path folder = folder_.path("en-de");
  const ModelFolder loaded = load_model_folder(folder);
  save_model_description(folder, loaded.config, loaded.source, loaded.target, loaded.lengths,
                         {.search = {.beam = 1, .length_penalty = 0}});
  ServerSettings settings;
  settings.http.port = 0;
  settings.service.models = {named_folder(folder.string())};
  server_ = std::make_unique<Server>(std::move(settings));
  server_->load_models();
  const SearchOptions greedy{.beam = 1, .length_penalty = 0};
  EXPECT_EQ(translate({})["translations"][0]["text"],
            translated("en-de", "ba ko ri", greedy).front().text);
  EXPECT_EQ(translate({{"beam", 4}})["translations"][0]["text"],
            translated("en-de", "ba ko ri", {.beam = 4, .length_penalty = 0}).front().text);
}

TEST_F(HeedApiTest, WordsAreAlignedByTheHeadThatWasKept) {
  start();
  const auto links = [&] {
    return translate(
        {{"details",
          {"words"}}})["translations"][0]["sentences"][0]["translations"][0]["alignment"];
  };
  std::set<Json> seen = {links()};
  for (const int head : {1, 2}) {
    save_alignment_choice(folder_.path("en-de"), {.layer = 1, .head = head});
    server_->reload();
    seen.insert(links());
  }
  EXPECT_GT(seen.size(), 1U);
}

TEST_F(HeedApiTest, TakesTheOptionsOfASearch) {
  start();
  const auto text = [&](const Json& options) {
    return translate(options)["translations"][0]["text"];
  };
  EXPECT_EQ(text({{"beam", 1}}), translated("en-de", "ba ko ri", {.beam = 1}).front().text);
  EXPECT_EQ(text({{"max-length", 3}}),
            translated("en-de", "ba ko ri", {.max_length = 3}).front().text);
  EXPECT_EQ(text({{"sample", true}, {"seed", 7}, {"temperature", 2}}),
            translated("en-de", "ba ko ri", {.sampling = Sampling{.temperature = 2, .seed = 7}})
                .front()
                .text);
  EXPECT_EQ(translate({{"beam", 17}}, 400)["error"],
            "Invalid request: beam parameter must be <= 16");
  EXPECT_EQ(translate({{"beam", 2}, {"nbest", 3}}, 400)["error"],
            "Invalid request: nbest parameter must be <= 2");
  EXPECT_EQ(translate({{"beam", 1.5}}, 400)["error"],
            "Invalid request: beam parameter must be a whole number");
}

TEST_F(HeedApiTest, TokensHaveTheirLogProbabilities) {
  start();
  const Json answer = translate({{"details", {"tokens"}}});
  const Json& best = answer["translations"][0]["sentences"][0]["translations"][0];
  const AttentionViewer viewer(load_model_folder(folder_.path("en-de")));
  const std::vector<double> expected = viewer.find("ba ko ri").front().recording.log_probabilities;
  // One without the end, since it was cut.
  ASSERT_EQ(best["tokens"].size(), best.contains("cut") ? expected.size() - 1 : expected.size());
  // Two ways to the same numbers, in float32.
  for (size_t i = 0; i < best["tokens"].size(); ++i)
    EXPECT_NEAR(best["tokens"][i]["log-probability"].get<double>(), expected[i], 1e-4);
}

TEST_F(HeedApiTest, WordsHaveTheirPlacesAndLinks) {
  start();
  const Json answer = translate({{"text", "ba, ko ri"}, {"details", {"words"}}});
  const Json& sentence = answer["translations"][0]["sentences"][0];
  const auto word = [](const char* word_text, int begin, int end) {
    return Json({{"text", word_text}, {"start", begin}, {"end", end}});
  };
  const Json words = {word("ba", 0, 2), word(",", 2, 3), word("ko", 4, 6), word("ri", 7, 9)};
  EXPECT_EQ(sentence["source-words"], words);
  const Json& best = sentence["translations"][0];
  const std::u32string text = characters_of(best["text"].get<std::string>());
  EXPECT_FALSE(best["words"].empty());
  for (const Json& found : best["words"]) {
    const size_t begin = found["start"], end = found["end"];
    EXPECT_EQ(text_of(text.substr(begin, end - begin)), found["text"]);
  }
  EXPECT_EQ(best["alignment"].size(), best["words"].size());
  for (const Json& link : best["alignment"]) EXPECT_LT(link[0], sentence["source-words"].size());
}

TEST_F(HeedApiTest, AHeadThatIsSwitchedOffChangesTheTranslation) {
  start();
  const ModelFolder folder = load_model_folder(folder_.path("en-de"));
  const std::vector<HeadName> heads = {head_named("cross:1:1"), head_named("encoder:1:2")};
  const Translator without(without_heads(*folder.model, heads)->prepare(Precision::float32),
                           folder.source, folder.target, {.lengths = folder.lengths});
  const std::vector<std::string> lines = {"ba ko ri"};
  const Json answer = translate({{"without", {"encoder:1:2", "cross:1:1"}}, {"nbest", 2}});
  const std::vector<Translation> expected = without.translate_n_best(lines, {.n_best = 2}).front();
  const Json& list = answer["translations"][0]["sentences"][0]["translations"];
  EXPECT_EQ(list[0]["score"], expected[0].hypothesis.score);
  EXPECT_NE(list[0]["score"], translated("en-de", "ba ko ri").front().hypothesis.score);
  EXPECT_NE(translate({{"without", "cross:9:1"}}, 400)["error"], "");
  EXPECT_NE(translate({{"without", "nonsense"}}, 400)["error"], "");
  // More of them than are kept.
  for (const char* head : {"encoder:1:1", "encoder:1:2", "decoder:1:1", "decoder:1:2", "cross:1:1",
                           "cross:1:2", "encoder:1:1"})
    translate({{"without", head}});
}

TEST_F(HeedApiTest, GoesThroughAThirdLanguage) {
  start([&](ServerSettings& settings) {
    put_pair("de-fr", 7);
    settings.service.models = {named_folder(folder_.path("en-de")),
                               named_folder("de-fr=" + folder_.path("de-fr"))};
  });
  const std::string german = translated("en-de", "ba ko ri").front().text;
  const std::string french = translated("de-fr", german).front().text;
  const Json answer = translate({{"target", "fr"}, {"details", "sentences"}});
  EXPECT_EQ(answer["pivot"], "de");
  EXPECT_EQ(answer["translations"][0]["text"], french);
  EXPECT_EQ(answer["translations"][0]["sentences"][0]["pivot"], german);
  EXPECT_EQ(translate({{"source", "fr"}, {"target", "en"}}, 400)["error"],
            "there is no model from fr to en");
  // The other APIs do that only if the server is told to.
  EXPECT_EQ(json_of(post("/translate", {{"q", "ba"}, {"source", "en"}, {"target", "fr"}}))["error"],
            "French (fr) is not available as a target language from English (en)");
}

TEST_F(HeedApiTest, StreamsSentences) {
  start();
  const HttpAnswer answer =
      post("/v1/translate",
           {{"text", {"ba\nko", "ri"}}, {"source", "en"}, {"target", "de"}, {"stream", true}});
  EXPECT_EQ(answer.headers.at("content-type"), "text/event-stream");
  std::vector<std::pair<std::string, Json>> events;
  for (size_t at = 0; at < answer.body.size();) {
    const size_t end = answer.body.find("\n\n", at), line = answer.body.find('\n', at);
    events.emplace_back(answer.body.substr(at + 7, line - at - 7),
                        Json::parse(answer.body.substr(line + 7, end - line - 7)));
    at = end + 2;
  }
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[1].first, "sentence");
  EXPECT_EQ(events[1].second, Json({{"text", 0},
                                    {"source", "ko"},
                                    {"translation", translated("en-de", "ko").front().text}}));
  EXPECT_EQ(events[2].second["text"], 1);
  EXPECT_EQ(events[3].first, "done");
  EXPECT_EQ(events[3].second["translations"].size(), 2u);
}

TEST_F(HeedApiTest, ShowsAttention) {
  start();
  const auto attention = [&](const Json& more, int status = 200) {
    Json body = {{"text", "ba ko ri"}, {"source", "en"}, {"target", "de"}};
    if (more.is_object()) body.update(more);
    const HttpAnswer answer = post("/v1/attention", body);
    EXPECT_EQ(answer.status, status) << answer.body;
    return json_of(answer);
  };
  const AttentionViewer viewer(load_model_folder(folder_.path("en-de")));
  const Json found = attention({});
  EXPECT_EQ(found["target"]["text"], viewer.find("ba ko ri").front().target.text);
  const Json given = attention({{"translation", "ko"}});
  EXPECT_EQ(given["target"]["text"], "ko");
  EXPECT_NE(given, attention({{"translation", "ko"}, {"without", "encoder:1:1"}}));
  EXPECT_NE(attention({{"text", std::string(2000, 'b')}}, 400)["error"], "");
  EXPECT_EQ(attention({{"text", ""}}, 400)["error"], "Invalid request: missing text parameter");
}

TEST_F(HeedApiTest, AttentionNeedsNoLanguagesOfTheOnlyModel) {
  start([&](ServerSettings& settings) { settings.service.models.pop_back(); });
  const std::vector<Json> open = {{{"text", "ba"}},
                                  {{"text", "ba"}, {"target", "de"}},
                                  {{"text", "ba"}, {"source", "en"}},
                                  {{"text", "ba"}, {"source", "auto"}, {"target", "de"}}};
  for (const Json& body : open) EXPECT_EQ(post("/v1/attention", body).status, 200) << body;
  EXPECT_EQ(post("/v1/attention", {{"text", "ba"}, {"source", "de"}}).status, 400);
}

TEST_F(HeedApiTest, ListsModels) {
  start();
  const Json models = json_of(get("/v1/models"))["models"];
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0]["name"], "en-de");
  EXPECT_EQ(models[0]["kind"], "transformer");
  EXPECT_EQ(models[0]["heads"]["heads"], 2);
  EXPECT_EQ(models[0]["has-curves"], false);
  EXPECT_EQ(get("/v1/models/en-de/curves").status, 404);
  EXPECT_EQ(get("/v1/models/../curves").status, 404);
}

TEST_F(HeedApiTest, CurvesAreTheTrainingLog) {
  put_pair("en-de");
  folder_.put("en-de/training.jsonl",
              R"({"step":10,"loss":2.5,"cross-entropy":2.25,"learning-rate":0.001})"
              "\n");
  start();
  const HttpAnswer answer = get("/v1/models/en-de/curves");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(json_of(answer).contains("validations"));
}

TEST_F(HeedApiTest, RefusesAParameterThatItDoesNotHave) {
  start();
  EXPECT_EQ(translate({{"n_best", 3}}, 400)["error"],
            "Invalid request: \"n_best\" is not a parameter of /v1/translate");
}

class DocumentsTest : public HeedApiTest {
 protected:
  HttpAnswer post_file(const std::string& name, const std::string& text,
                       const std::string& more = "") const {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const std::string body = part + "\"source\"\r\n\r\nen\r\n" + part + "\"target\"\r\n\r\nde\r\n" +
                             more + part + "\"file\"; filename=\"" + name + "\"\r\n\r\n" + text +
                             "\r\n--b--\r\n";
    return ask(http_request("POST", "/v1/documents", body, "multipart/form-data; boundary=b"));
  }
  std::string best_of(const std::string& line) const {
    return translated("en-de", line).front().text;
  }
};

TEST_F(DocumentsTest, APoFileIsFilled) {
  start();
  const std::string file =
      "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n"
      "msgid \"ba ko\"\nmsgstr \"\"\n\nmsgid \"ri\"\nmsgstr \"there\"\n";
  const HttpAnswer answer = post_file("de.po", file);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.headers.at("content-disposition"), "attachment");
  EXPECT_EQ(answer.headers.at("heed-reported"), "0");
  const PoFile filled(answer.body);
  ASSERT_EQ(filled.messages().size(), 2u);
  EXPECT_EQ(filled.messages()[0].forms, std::vector{best_of("ba ko")});
  EXPECT_TRUE(filled.messages()[0].is_fuzzy);
  EXPECT_EQ(filled.messages()[1].forms, std::vector<std::string>{"there"});
}

TEST_F(DocumentsTest, TheNameSaysWhatAFileIs) {
  start();
  const std::string line = best_of("ba ko");
  EXPECT_EQ(post_file("a.txt", "ba ko\n").body, line + "\n");
  EXPECT_EQ(post_file("a.HTML", "<p>ba ko</p>").body, "<p>" + line + "</p>");
  EXPECT_EQ(post_file("a.txt", "<p>ba ko</p>",
                      "--b\r\nContent-Disposition: form-data; name=\"format\"\r\n\r\nhtml\r\n")
                .body,
            "<p>" + line + "</p>");
  EXPECT_EQ(post_file("a.txt", "").body, "");
}

TEST_F(DocumentsTest, SaysWhatIsWrong) {
  start();
  const HttpAnswer broken = post_file("a.po", "msgid \"no end");
  EXPECT_EQ(broken.status, 400);
  EXPECT_TRUE(json_of(broken)["error"].get<std::string>().starts_with("Invalid request: PO file:"))
      << broken.body;
  EXPECT_EQ(json_of(post_file("a.pdf", "%PDF \xFF\xFE"))["error"],
            "Invalid request: the file is not a text in UTF-8");
  EXPECT_EQ(json_of(post("/v1/documents", {{"target", "de"}}))["error"],
            "Invalid request: missing file parameter");
}

}  // namespace
}  // namespace heed
