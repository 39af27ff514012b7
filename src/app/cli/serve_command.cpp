#include "heed/app/cli/serve_command.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/flag_file.h"
#include "heed/app/cli/serve_signals.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/numbers.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

constexpr const char* serve_example =
    R"(Programs ask it through LibreTranslate's API, DeepL's or heed's own; docs/serving.md shows
how. The languages of a model are those that its folder's name ends with, or those before "=". A
model with an adapter can be served beside the model itself, as another kind of its language.

  $ heed serve --model en-de --model de-en=models/back
  $ heed serve --model en-de --model en-de-x-law=en-de --adapter en-de-x-law=law.safetensors
  $ heed serve --model en-fr=opus-mt-en-roa --tag en-fr=fra
  $ curl -d q=Hello -d source=en -d target=de http://127.0.0.1:5000/translate

Ctrl-C or SIGTERM ends it when every request that was accepted has been answered; a second one ends
it at once.
)";

constexpr int most_http_threads = 4;  // they only parse and tokenise
constexpr int watch_seconds = 2;

// From systemd: the first of the sockets that it listens on for us.
int inherited_socket() {
  const char *process = std::getenv("LISTEN_PID"), *count = std::getenv("LISTEN_FDS");
  if (process == nullptr || count == nullptr) return -1;
  const auto id = parse_number<int>(process), sockets = parse_number<int>(count);
  constexpr int first = 3;
  return id == ::getpid() && sockets >= 1 ? first : -1;
}

// A connection is a descriptor; the usual limit of 1,024 is there for older programs.
void allow_many_descriptors() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

ServeCommand::ServeCommand(CLI::App& program)
    : command_(*program.add_subcommand("serve", "Serve models over HTTP")) {
  add_flag_file(command_, prints_config_);
  add_flags(command_);
  command_.footer(serve_example);
}

void ServeCommand::add_flags(CLI::App& command) {
  command.add_option("--model", models_, "Model folder, with its languages; repeat for several")
      ->option_text("[SOURCE-TARGET=]DIR")
      ->transform(model_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--host", wanted_.http.host, "Address to listen on (default: 127.0.0.1)")
      ->option_text("ADDRESS");
  command.add_option("--port", port_, "Port to listen on (default: 5000; 0: any that is free)")
      ->option_text("N")
      ->check(between(0, 65535));
  command.add_option("--threads", threads_, "Threads of each model (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, most_threads));
  command.add_flag("--int8", wanted_.service.int8,
                   "Compute with 8-bit weights: faster, with nearly the same results");
  command
      .add_option("--glossary", glossaries_,
                  "File of terms, each with a tab and its translation; one per model")
      ->option_text("[SOURCE-TARGET=]FILE")
      ->check(file_name())
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--adapter", adapters_,
                  "Adapter of a model, from heed train --adapter; one per model")
      ->option_text("[SOURCE-TARGET=]FILE")
      ->check(file_name())
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--tag", tags_,
                  "One of a model's tags, for requests that name none; one per model")
      ->option_text("[SOURCE-TARGET=]TAG")
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--shortlist", wanted_.service.shortlist,
                   "Score only the words that a model's shortlist has for a text: faster");
  command.add_flag("--pivot", wanted_.service.pivots,
                   "Translate through a third language where no model translates directly");
  command.add_flag("--watch-models", watches_,
                   "Take in a model folder that has changed (default: on SIGHUP)");
  CLI::Option* no_page =
      command.add_flag("--no-page", leaves_page_out_, "Serve no page for people");
  command.add_option("--page", page_folder_, "Serve the page from this folder, web/ of heed")
      ->option_text("DIR")
      ->check(folder_name())
      ->excludes(no_page);
  add_access_flags(command);
  add_limit_flags(command);
  command.add_flag("--quiet", quiet_, "Log no requests");
  command.add_flag("--log-texts", wanted_.service.logs_texts, "Log what is translated, too");
}

void ServeCommand::add_access_flags(CLI::App& command) {
  const char* const group = "Access";
  command.add_option("--key-file", key_file_, "File of API keys; then every client needs one")
      ->option_text("FILE")
      ->check(file_name())
      ->group(group);
  command
      .add_option("--rate", wanted_.service.access.allowed.rate,
                  "Requests a minute of a key or an address (default: as many as come)")
      ->option_text("N")
      ->check(at_least(int64_t{1}))
      ->group(group);
  command
      .add_option("--quota", wanted_.service.access.allowed.quota,
                  "Characters a month of a key or an address (default: as many as come)")
      ->option_text("N")
      ->check(at_least(int64_t{1}))
      ->group(group);
  command
      .add_flag("--behind-proxy", wanted_.service.access.trusts_proxy,
                "Take the address of a client from X-Forwarded-For")
      ->group(group);
  command
      .add_option("--cors", wanted_.origins,
                  "Origin whose pages may ask, or *; repeat for several (default: none)")
      ->option_text("ORIGIN")
      ->check(origin())
      ->take_all()
      ->allow_extra_args(false)
      ->group(group);
}

void ServeCommand::add_limit_flags(CLI::App& command) {
  const auto limit = [&](const char* name, auto& value, const char* what, auto most) {
    using Value = std::decay_t<decltype(value)>;
    command.add_option(name, value, what)
        ->option_text("N")
        ->check(between(Value{1}, static_cast<Value>(most)))
        ->group("Limits");
  };
  RequestLimits& request = wanted_.service.limits;
  HttpLimits& http = wanted_.http.limits;
  constexpr auto many = int64_t{1} << 30;
  limit("--max-characters", request.characters,
        "Characters of the texts of a request (default: 100000)", many);
  limit("--max-texts", request.texts, "Texts of a request (default: 128)", many);
  limit("--max-alternatives", request.alternatives, "Alternatives of a text (default: 10)", 1000);
  limit("--max-beam", request.beam, "Beam size (default: 16)", 1000);
  limit("--max-attention", request.attention_tokens,
        "Tokens of a text whose attention is shown (default: 256)", 8192);
  limit("--max-queue", request.queue,
        "Requests that are being translated or wait for it (default: 256)", many);
  limit("--max-connections", http.connections, "Connections (default: 16384)", many);
  limit("--max-header", http.header_bytes, "Bytes of a header (default: 16384)", 1 << 20);
  limit("--max-body", http.body_bytes, "Bytes of a body (default: 1048576)", many);
  limit("--receive-time", receive_seconds_,
        "Seconds for a header to arrive, and for a body (default: 10)", 86400);
  limit("--idle-time", idle_seconds_, "Seconds between two requests (default: 75)", 86400);
  limit("--request-time", request_seconds_, "Seconds for a translation (default: 60)", 86400);
}

ServerSettings ServeCommand::settings(const Console& console) const {
  using std::chrono::seconds;
  ServerSettings settings = wanted_;
  settings.http.port = static_cast<uint16_t>(port_);
  settings.page = {.is_served = !leaves_page_out_, .folder = page_folder_};
  settings.http.listening = inherited_socket();
  settings.http.threads = std::clamp(core_count() / 2, 1, most_http_threads);
  settings.http.limits.header_time = seconds(receive_seconds_);
  settings.http.limits.body_time = seconds(receive_seconds_);
  settings.http.limits.idle_time = seconds(idle_seconds_);
  settings.service.limits.time = seconds(request_seconds_);
  settings.service.threads = threads_ > 0 ? threads_ : core_count();
  settings.service.access.key_file = key_file_;
  for (const std::string& model : models_) settings.service.models.push_back(named_folder(model));
  for (const std::string& glossary : glossaries_) add_glossary(glossary, settings.service.models);
  for (const std::string& adapter : adapters_) add_adapter(adapter, settings.service.models);
  for (const std::string& tag : tags_) add_tag(tag, settings.service.models);
  settings.logs_requests = !quiet_;
  const auto mutex = std::make_shared<std::mutex>();
  settings.log = [&err = console.err, mutex](const std::string& line) {
    const std::lock_guard lock(*mutex);
    err << line << std::flush;
  };
  return settings;
}

void ServeCommand::run(const Console& console) const {
  if (prints_config_) {
    console.out << flags_as_file(command_);
    return;
  }
  ServerSettings chosen = settings(console);
  allow_many_descriptors();
  ServeSignals signals;
  Server server(std::move(chosen));
  console.err << "listening on " << server.address() << '\n' << std::flush;
  server.load_models();
  console.err << "ready\n" << std::flush;
  while (true) {
    const std::optional<ServeSignal> signal = signals.next(watches_ ? watch_seconds : 0);
    if (signal == ServeSignal::end) break;
    if (signal == ServeSignal::reload || server.models_have_changed()) server.reload();
  }
  server.drain();
}

}  // namespace heed
