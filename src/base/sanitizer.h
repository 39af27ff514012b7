// HEED_ADDRESS_SANITIZER is defined if the program is built with the address sanitizer.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define HEED_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEED_ADDRESS_SANITIZER 1
#endif
#endif
