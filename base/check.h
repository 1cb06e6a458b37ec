// TM_CHECK stops the process on a programmer's error or on corrupt durable state, and says what was read. What the environment,
// a peer or a client can cause is an absl::Status instead (base/status.h).
//
//   TM_CHECK(next > newest_) << "batch " << next << " after " << newest_;
//
// Cost: one compare and branch when the condition holds; the message is built only when it does not.
#ifndef TIDEMARK_BASE_CHECK_H_
#define TIDEMARK_BASE_CHECK_H_

#include <sstream>

namespace tidemark::internal {

// Collects the message of one failed check; its destructor prints it and aborts.
class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};

// Gives both branches of the macro's conditional the type void.
struct Voidify {
  void operator&(std::ostream&) const {}
};

}  // namespace tidemark::internal

#define TM_CHECK(condition)  \
  (condition)                \
      ? static_cast<void>(0) \
      : ::tidemark::internal::Voidify() & ::tidemark::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()

#define TM_CHECK_OK(expression)                                   \
  do {                                                            \
    const auto& tm_check_status = (expression);                   \
    TM_CHECK(tm_check_status.ok()) << tm_check_status.ToString(); \
  } while (false)

#ifdef NDEBUG
#define TM_DCHECK(condition) TM_CHECK(true || (condition))
#else
#define TM_DCHECK(condition) TM_CHECK(condition)
#endif

#endif  // TIDEMARK_BASE_CHECK_H_
