// ListOptions are the query parameters of a LIST or WATCH, decoded and judged as kube-apiserver does it. The order of
// the checks is the order of its errors: numbers, label selector, field selector (400), then what may not stand
// together (422), then fields that the resource does not have (400).
//
// Thread-safety: values; functions are pure.
// Source:        apimachinery's ListOptions, their conversion and validation.
#ifndef TIDEMARK_HTTP_LIST_OPTIONS_H_
#define TIDEMARK_HTTP_LIST_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "cache/selector.h"
#include "config/resource.h"
#include "http/status.h"
#include "net/exchange.h"

namespace tidemark::http {

struct ListOptions {
  std::string resource_version;  // as given; parsed by the reader, whose errors differ between LIST and WATCH
  std::string resource_version_match;
  std::string continue_token;
  int64_t limit = 0;  // <= 0: none
  std::optional<int64_t> timeout_seconds;
  bool allow_watch_bookmarks = false;
  std::optional<bool> send_initial_events;
  cache::Selector selector;
};

// Missing, "0" and "false" in any case are false; all else is true, an empty value included.
bool QueryFlag(const net::Request& request, absl::string_view name);

// `watch`: for a WATCH, whose initial events are then decided.
ApiStatusOr<ListOptions> DecodeListOptions(const net::Request& request, const config::Resource& resource, bool watch);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_LIST_OPTIONS_H_
