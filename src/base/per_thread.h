// What each thread has for itself.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace heed {

// The T of this thread, made when it is first asked for and destroyed with the thread; another one
// for each Purpose. A thread_local T would do the same, but if the C library has no memory to note
// its destructor it ends the program, where this throws bad_alloc.
template <typename T, typename Purpose = T>
T& per_thread() {
  class Key {
   public:
    Key() {
      const auto destroy = [](void* own) { delete static_cast<T*>(own); };
      if (::pthread_key_create(&key_, destroy) != 0) throw std::bad_alloc();
    }
    bool hold(T* own) const { return ::pthread_setspecific(key_, own) == 0; }

   private:
    pthread_key_t key_ = 0;
  };
  static const Key key;
  thread_local T* own = nullptr;
  if (own != nullptr) return *own;
  auto made = std::make_unique<T>();
  if (!key.hold(made.get())) throw std::bad_alloc();
  own = made.release();
  return *own;
}

}  // namespace heed
