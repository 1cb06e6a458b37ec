#include "http/status.h"

#include <gtest/gtest.h>

#include <string>

#include "base/status.h"

namespace tidemark::http {
namespace {

const config::Resource& Deployments() {
  static const config::Resource resource{
      .group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
  return resource;
}

struct Row {
  std::string name;
  absl::Status error;
  ReadContext context;
  std::string json;
};

std::string Status(absl::string_view middle) {
  return absl::StrCat(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                      R"("message":)",
                      middle, "}");
}

constexpr absl::string_view kTooLarge =
    R"("reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge",)"
    R"("message":"Too large resource version"}],"retryAfterSeconds":1},"code":504)";

// The table of kube-list-watch 1.7, row by row.
const Row kRows[] = {
    {"not older than a future revision",
     MakeError(ErrorKind::kStale, "late", Revision(84)),
     {.read = ReadKind::kNotOlderThan, .version = 9000000},
     Status(absl::StrCat(R"("Timeout: Too large resource version: 9000000, current: 84",)", kTooLarge))},
    {"exact future revision",
     MakeError(ErrorKind::kFutureRevision, "", Revision(84)),
     {.read = ReadKind::kExact, .version = 18446744073709551615u},
     Status(absl::StrCat(R"("Timeout: Too large resource version: 18446744073709551615, current: 84",)"
                         R"()",
                         kTooLarge))},
    {"consistent read timed out",
     MakeError(ErrorKind::kStale, "Too large resource version: 90, current: 84", Revision(84)),
     {.read = ReadKind::kConsistent},
     Status(R"("Timeout: Too large resource version: 90, current: 84","reason":"TooManyRequests",)"
            R"("details":{"retryAfterSeconds":1},"code":429)")},
    {"watch with the state first timed out",
     MakeError(ErrorKind::kStale, "Too large resource version: 90, current: 84", Revision(84)),
     {.read = ReadKind::kWatchState},
     Status(absl::StrCat(R"("Timeout: Too large resource version: 90, current: 84",)", kTooLarge))},
    {"cache not ready",
     MakeError(ErrorKind::kNotReady, "no first list"),
     {},
     Status(R"("storage is (re)initializing","reason":"TooManyRequests","details":{"retryAfterSeconds":1},)"
            R"("code":429)")},
    {"exact list compacted",
     MakeError(ErrorKind::kCompacted, "gone", Revision(106)),
     {.read = ReadKind::kExact, .version = 104},
     Status(R"("The resourceVersion for the provided list is too old.","reason":"Expired","code":410)")},
    {"continue compacted, no token",
     MakeError(ErrorKind::kCompacted, "gone", Revision(106)),
     {.read = ReadKind::kContinue, .version = 104},
     Status(R"("The provided continue parameter is too old to display a consistent list result. You can start a new )"
            R"(list without the continue parameter.","reason":"Expired","code":410)")},
    {"watch older than the history",
     MakeError(ErrorKind::kCompacted, "gone", Revision(128)),
     {.read = ReadKind::kWatch, .version = 74},
     Status(R"x("too old resource version: 74 (128)","reason":"Expired","code":410)x")},
    {"store unreachable",
     MakeError(ErrorKind::kStoreUnavailable, "no endpoint"),
     {.verb = "list", .resource = &Deployments()},
     Status(R"("The list operation against deployments.apps could not be completed at this time, please try again.",)"
            R"("reason":"ServerTimeout","details":{"group":"apps","kind":"deployments","retryAfterSeconds":2},)"
            R"("code":500)")},
    {"rewound",
     MakeError(ErrorKind::kRewound, "the store went back"),
     {.read = ReadKind::kWatch},
     Status(R"("the store went back","reason":"Expired","code":410)")},
    {"overloaded",
     MakeError(ErrorKind::kOverloaded, "too many watches"),
     {},
     Status(R"("too many watches","reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429)")},
    {"stopping",
     MakeError(ErrorKind::kStopped, "shutting down"),
     {},
     Status(R"("shutting down","reason":"ServiceUnavailable","details":{"retryAfterSeconds":1},"code":503)")},
    {"unreadable value",
     MakeError(ErrorKind::kCorrupt, "the stored value of \"/pods/a/b\" is encrypted at rest (aescbc)"),
     {},
     Status(R"body("the stored value of \"/pods/a/b\" is encrypted at rest (aescbc)","code":500)body")},
    {"anything else", absl::UnknownError("what now"), {}, Status(R"("what now","code":500)")},
};

TEST(StatusTest, EveryErrorRow) {
  for (const Row& row : kRows) EXPECT_EQ(FromReadError(row.error, row.context).ToJson(), row.json) << row.name;
}

TEST(StatusTest, ContinueCompactedOffersAFreshToken) {
  const ApiStatus status = FromReadError(MakeError(ErrorKind::kCompacted, "gone", Revision(106)),
                                         {.read = ReadKind::kContinue, .version = 104, .fresh_token = "TOKEN"});
  EXPECT_EQ(
      status.ToJson(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"TOKEN"},"status":"Failure",)"
      R"("message":"The provided )"
      R"(continue parameter is too old to display a consistent list result. You can start a new list without the )"
      R"(continue )"
      R"(parameter, or use the continue token in this response to retrieve the remainder of the results. )"
      R"(Continuing with )"
      R"(the provided token results in an inconsistent list - objects that were created, modified,)"
      R"( or deleted between the )"
      R"(time the first chunk was returned and now may show up in the list.","reason":"Expired","code":410})");
}

TEST(StatusTest, OneValidationErrorPrintsBareSeveralAsAList) {
  const StatusCause a{.reason = "FieldValueForbidden", .message = "Forbidden: x", .field = "f"};
  const StatusCause b{.reason = "FieldValueNotSupported", .message = "Unsupported value: y", .field = "g"};
  EXPECT_EQ(InvalidListOptions({a}).message, "ListOptions.meta.k8s.io \"\" is invalid: f: Forbidden: x");
  EXPECT_EQ(InvalidListOptions({a, b}).message,
            "ListOptions.meta.k8s.io \"\" is invalid: [f: Forbidden: x, g: Unsupported value: y]");
  EXPECT_EQ(InvalidListOptions({a}).ToJson(),
            Status(R"("ListOptions.meta.k8s.io \"\" is invalid: f: Forbidden: x","reason":"Invalid",)"
                   R"("details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueForbidden",)"
                   R"("message":"Forbidden: x","field":"f"}]},"code":422)"));
}

TEST(StatusTest, NotFound) {
  EXPECT_EQ(
      ObjectNotFound(Deployments(), "none").ToJson(),
      Status(R"("deployments.apps \"none\" not found","reason":"NotFound","details":{"name":"none","group":"apps",)"
             R"("kind":"deployments"},"code":404)"));
  EXPECT_EQ(
      ResourceNotFound().ToJson(),
      Status(R"("the server could not find the requested resource","reason":"NotFound","details":{},"code":404)"));
}

TEST(StatusTest, NotAcceptable) {
  EXPECT_EQ(NotAcceptable("application/json", true).ToJson(),
            Status(R"("only the following media types are accepted: application/json","reason":"NotAcceptable",)"
                   R"("code":406)"));
  EXPECT_EQ(NotAcceptable("application/json", false).ToJson(),
            Status(R"("406: Not Acceptable\n\nAvailable representations: application/json","reason":"NotAcceptable",)"
                   R"("details":{},"code":406)"));
}

}  // namespace
}  // namespace tidemark::http
