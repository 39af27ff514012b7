// A cable between two hosts that are network namespaces, on which every packet is on its way for a
// while:
//   slow_cable NAMESPACE NAMESPACE MICROSECONDS
// It makes a device "cable" (TUN) in each namespace and carries packets until it is
// ended by a signal; then it prints how much of a core that took. For kernels without netem. The
// rate is not its business: that is for a queueing discipline of the devices (tc … tbf).
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// The largest packet, as a host leaves it to its network card to cut it up, behind the header that
// says how (virtio_net_hdr, whose file is no C++).
constexpr size_t longest_packet = 10 + 65536;

volatile sig_atomic_t ended = 0;

void check(int result, const std::string& what) {
  if (result >= 0) return;
  std::fprintf(stderr, "slow_cable: %s: %s\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

// The end of the cable in a namespace, into which this thread goes for good.
int make_end(const std::string& name) {
  const int space = ::open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  check(space, "namespace " + name);
  check(::setns(space, CLONE_NEWNET), "namespace " + name);
  ::close(space);
  const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  check(device, "/dev/net/tun");
  ifreq request = {};
  std::strcpy(request.ifr_name, "cable");
  request.ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR;
  check(::ioctl(device, TUNSETIFF, &request), "the device in " + name);
  check(::ioctl(device, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4), "large packets in " + name);
  return device;
}

// One of the two ways.
class Way {
 public:
  Way(int from, int to, Clock::duration delay) : from_(from), to_(to), delay_(delay) {}

  void receive() {
    for (;;) {
      if (spare_.empty()) spare_.push_back({.bytes = std::make_unique<char[]>(longest_packet)});
      Packet& packet = spare_.back();
      const ssize_t size = ::read(from_, packet.bytes.get(), longest_packet);
      if (size <= 0) return;
      packet.size = static_cast<size_t>(size);
      packet.due = Clock::now() + delay_;
      under_way_.push_back(std::move(packet));
      spare_.pop_back();
    }
  }

  void deliver() {
    for (; !under_way_.empty() && under_way_.front().due <= Clock::now(); under_way_.pop_front()) {
      Packet& packet = under_way_.front();
      // What the other end refuses is lost, as on a real cable.
      if (::write(to_, packet.bytes.get(), packet.size) < 0) ++lost;
      spare_.push_back(std::move(packet));
    }
  }

  // When the next packet is due, or what was given.
  Clock::time_point next(Clock::time_point otherwise) const {
    return under_way_.empty() ? otherwise : std::min(otherwise, under_way_.front().due);
  }

  int64_t lost = 0;

 private:
  struct Packet {
    Clock::time_point due = {};
    size_t size = 0;
    std::unique_ptr<char[]> bytes;
  };

  int from_, to_;
  Clock::duration delay_;
  std::deque<Packet> under_way_;
  std::vector<Packet> spare_;
};

timespec until(Clock::time_point then) {
  const auto left = std::max(Clock::duration(0), then - Clock::now());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {seconds.count(), std::chrono::nanoseconds(left - seconds).count()};
}

void carry(int a, int b, Clock::duration delay) {
  std::array<Way, 2> ways = {Way(a, b, delay), Way(b, a, delay)};
  std::array<pollfd, 2> ends = {pollfd{a, POLLIN, 0}, pollfd{b, POLLIN, 0}};
  while (ended == 0) {
    const Clock::time_point next = ways[0].next(ways[1].next(Clock::now() + std::chrono::hours(1)));
    const timespec left = until(next);
    if (::ppoll(ends.data(), ends.size(), &left, nullptr) > 0)
      for (size_t i = 0; i < 2; ++i)
        if ((ends[i].revents & POLLIN) != 0) ways[i].receive();
    for (Way& way : ways) way.deliver();
  }
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  std::printf("the cable took %.2f s of a core and lost %ld packets\n",
              seconds(used.ru_utime) + seconds(used.ru_stime),
              static_cast<long>(ways[0].lost + ways[1].lost));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: slow_cable NAMESPACE NAMESPACE MICROSECONDS\n");
    return 2;
  }
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    action.sa_handler = [](int) { ended = 1; };
    ::sigaction(signal, &action, nullptr);
  }
  // Like the hardware that it stands for, it waits for nobody.
  ::prctl(PR_SET_TIMERSLACK, 1);
  const sched_param priority = {.sched_priority = 10};
  check(::sched_setscheduler(0, SCHED_FIFO, &priority), "priority");
  const int a = make_end(arguments[1]), b = make_end(arguments[2]);
  carry(a, b, std::chrono::microseconds(std::atoi(arguments[3])));
}
