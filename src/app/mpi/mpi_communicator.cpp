#include "heed/app/mpi/mpi_communicator.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <thread>

#include "heed/base/error.h"

namespace heed {

namespace {

using Requests = std::vector<MPI_Request>;

// MPI counts with an int.
constexpr size_t longest_message = size_t{1} << 30;
// Messages go in pieces that MPI sends at once (Open MPI: up to 64 KB through TCP). Before a longer
// one, it asks the receiver, whose answer queues behind megabytes that are on their way to us: then
// two ranks that send each other something take turns, at half the speed of the link.
constexpr size_t piece_of_exchange = size_t{60} << 10;
// What is at most this long arrives at once, however rarely the receiver looks.
constexpr size_t short_message = 1024;

// Letters do not get mixed up with exchanged messages, whose tag is 0.
int tag_of(LetterBox box) { return 1 + static_cast<int>(box); }

// MPI waits by asking again and again. Beside other ranks and threads on the same cores, that must
// not keep anyone from working: short messages often come late, because their sender is computing,
// so the receiver sleeps a little. Long ones arrive only as fast as it asks. Beside a thread that
// computes, every look costs that one time; what arrives meanwhile waits in the system's buffers.
enum class Pace { fast, gentle, rare };
Pace pace_for(size_t bytes, int ranks = 1) {
  return bytes <= short_message * static_cast<size_t>(ranks) ? Pace::gentle : Pace::fast;
}

// Asks until nothing more has arrived. Open MPI looks at its sockets only every eighth time, and
// takes one piece from each then, so whoever asks rarely has to ask more than once. Returns whether
// all is done.
bool look(Requests& requests, std::vector<int>& places) {
  constexpr int questions = 8;
  for (int unanswered = 0; unanswered < questions; ++unanswered) {
    int done = 0;
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &done, places.data(),
                 MPI_STATUSES_IGNORE);
    if (done == MPI_UNDEFINED) return true;
    if (done > 0) unanswered = 0;
  }
  return false;
}

void wait_for(Requests& requests, Pace pace) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration shortest_sleep = std::chrono::microseconds(100);
  constexpr Clock::duration longest_sleep = std::chrono::milliseconds(1);
  const Clock::time_point begin = Clock::now();
  std::vector<int> places(requests.size());
  while (!look(requests, places)) {
    const Clock::duration waited = Clock::now() - begin;
    if (pace == Pace::rare)
      std::this_thread::sleep_for(std::clamp(waited, shortest_sleep, longest_sleep));
    else if (pace == Pace::gentle && waited > longest_sleep)
      std::this_thread::sleep_for(std::min(waited / 20, longest_sleep));
    else
      std::this_thread::yield();
  }
}

// Calls use(piece) for pieces that MPI can count.
template <typename Byte, typename Use>
void for_each_piece(std::span<Byte> bytes, size_t longest, Use use) {
  while (!bytes.empty()) {
    const std::span<Byte> piece = bytes.first(std::min(bytes.size(), longest));
    use(piece.data(), static_cast<int>(piece.size()));
    bytes = bytes.subspan(piece.size());
  }
}

// Lengths and places of an array may be too large for MPI, which counts with an int; in the largest
// unit of which all are multiples, they are not.
class Unit {
 public:
  explicit Unit(std::span<const size_t> ends) {
    for (const size_t end : ends) bytes_ = std::gcd(bytes_, end);
    bytes_ = std::gcd(bytes_, longest_message);
    MPI_Type_contiguous(static_cast<int>(bytes_), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~Unit() { MPI_Type_free(&type_); }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  MPI_Datatype type() const { return type_; }
  int count(size_t bytes) const { return static_cast<int>(bytes / bytes_); }

 private:
  size_t bytes_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

std::string this_host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<size_t>(length)};
}

}  // namespace

MpiSession::MpiSession() {
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);
  require(given == MPI_THREAD_MULTIPLE, ErrorKind::system,
          "MPI: threads of level {} but {} (MPI_THREAD_MULTIPLE) was expected", given,
          MPI_THREAD_MULTIPLE);
}

MpiSession::~MpiSession() { MPI_Finalize(); }

MpiCommunicator::MpiCommunicator() {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &size_);
  hosts_ = gather_texts(this_host());
  cores_ = share_of_cores();
}

MpiCommunicator::~MpiCommunicator() {
  for (SentLetter& letter : sent_letters_) MPI_Wait(&letter.request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&world_);
}

// Ranks on one host share the cores that more than one of them may use.
int MpiCommunicator::share_of_cores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(mine), &mine) != 0) return core_count();
  const std::vector<std::string> masks =
      gather_texts({reinterpret_cast<const char*>(&mine), sizeof(mine)});
  double share = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &mine)) continue;
    int users = 0;
    for (int other = 0; other < size_; ++other) {
      cpu_set_t theirs;
      std::memcpy(&theirs, masks[static_cast<size_t>(other)].data(), sizeof(theirs));
      users += host(other) == host(rank_) && CPU_ISSET(core, &theirs);
    }
    share += 1.0 / users;
  }
  return std::max(1, static_cast<int>(share + 1e-9));
}

void MpiCommunicator::exchange(std::span<const OutgoingMessage> out,
                               std::span<const IncomingMessage> in, Waiting waiting) {
  Requests requests;
  for (const IncomingMessage& message : in)
    for_each_piece(message.bytes, piece_of_exchange, [&](std::byte* bytes, int count) {
      MPI_Irecv(bytes, count, MPI_BYTE, message.from, 0, world_, &requests.emplace_back());
    });
  for (const OutgoingMessage& message : out)
    for_each_piece(message.bytes, piece_of_exchange, [&](const std::byte* bytes, int count) {
      MPI_Isend(bytes, count, MPI_BYTE, message.to, 0, world_, &requests.emplace_back());
    });
  wait_for(requests, waiting == Waiting::busily ? Pace::fast : Pace::rare);
}

void MpiCommunicator::broadcast(int root, std::span<std::byte> bytes) {
  for_each_piece(bytes, longest_message, [&](std::byte* piece, int count) {
    Requests requests(1);
    MPI_Ibcast(piece, count, MPI_BYTE, root, world_, requests.data());
    wait_for(requests, pace_for(static_cast<size_t>(count)));
  });
}

void MpiCommunicator::gather_all(std::span<std::byte> bytes, std::span<const size_t> ends) {
  const Unit unit(ends);
  std::vector<int> counts, places;
  for (size_t begin = 0; const size_t end : ends) {
    places.push_back(unit.count(begin));
    counts.push_back(unit.count(end - begin));
    begin = end;
  }
  Requests requests(1);
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes.data(), counts.data(), places.data(),
                  unit.type(), world_, requests.data());
  wait_for(requests, pace_for(bytes.size(), size_));
}

void MpiCommunicator::send_letter(int to, LetterBox box, std::string text) {
  require(text.size() <= longest_message, "MPI: a letter of {} bytes but at most {} were expected",
          text.size(), longest_message);
  const std::lock_guard lock(letters_mutex_);
  sent_letters_.remove_if([](SentLetter& letter) {
    int done = 0;
    MPI_Test(&letter.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  SentLetter& letter = sent_letters_.emplace_back();
  letter.text = std::move(text);
  MPI_Isend(letter.text.data(), static_cast<int>(letter.text.size()), MPI_BYTE, to, tag_of(box),
            world_, &letter.request);
}

std::optional<Letter> MpiCommunicator::next_letter(LetterBox box) {
  int arrived = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status = {};
  MPI_Improbe(MPI_ANY_SOURCE, tag_of(box), world_, &arrived, &message, &status);
  if (arrived == 0) return {};
  int length = 0;
  MPI_Get_count(&status, MPI_BYTE, &length);
  Letter letter = {status.MPI_SOURCE, std::string(static_cast<size_t>(length), '\0')};
  MPI_Mrecv(letter.text.data(), length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  return letter;
}

std::vector<std::string> MpiCommunicator::gather_texts(const std::string& text) {
  std::vector<size_t> ends(static_cast<size_t>(size_));
  ends[static_cast<size_t>(rank_)] = text.size();
  gather_shares<size_t>(*this, ends);
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::string all(ends.back(), '\0');
  const auto begin_of = [&](size_t rank) { return rank == 0 ? 0 : ends[rank - 1]; };
  std::ranges::copy(text, all.begin() + static_cast<int64_t>(begin_of(static_cast<size_t>(rank_))));
  gather_all(std::as_writable_bytes(std::span(all)), ends);
  std::vector<std::string> texts;
  for (size_t rank = 0; rank < ends.size(); ++rank)
    texts.push_back(all.substr(begin_of(rank), ends[rank] - begin_of(rank)));
  return texts;
}

}  // namespace heed
