// DefinitionFollower follows the store's CustomResourceDefinitions: it has the objects of each mirrored, and says what is
// to be served.
//
//   established, new        a mirror is added, and its rows are served once it has its first list
//   changed                 the same; the old mirror serves until the new one is ready, then its watches end
//   gone, or refused        its rows are served no longer; its watches get the events up to there, and end
//
// A definition whose resource the selection leaves out, or that is in the table already, is passed over.
//
// Thread-safety: Start and Stop by one thread; ready() is thread-safe; all else runs on the executor, one task at a time.
// Ownership:     the caller keeps cache, definitions and executor alive until Stop has returned.
// Errors:        a definition that cannot be read is logged, once for each revision, and what was served by it before goes
//                on until it is deleted. Why the definitions cannot be followed is logged when the reason is another one.
// Cost:          a change of a definition lists its objects anew; one that has not changed is not read again; what changes
//                together is published together.
#ifndef TIDEMARK_CMD_DEFINITION_FOLLOWER_H_
#define TIDEMARK_CMD_DEFINITION_FOLLOWER_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/executor.h"
#include "cache/mirror_cache.h"
#include "config/resource.h"
#include "config/resource_selection.h"
#include "crd/definition.h"
#include "http/catalogue.h"

namespace tidemark::cmd {

// After a failed look at the definitions: their mirror is not ready, or had to list anew.
inline constexpr absl::Duration kDefinitionsRetryGap = absl::Milliseconds(50);
// What is ready while others still load is published after so long, with what has become ready by then: the first lists come a
// few at a time (cache/first_lists.h), and a catalogue of a thousand takes milliseconds to make.
inline constexpr absl::Duration kPublishGap = absl::Milliseconds(100);

class DefinitionFollower {
 public:
  struct Options {
    cache::MirrorCache* cache = nullptr;
    cache::Mirror* definitions = nullptr;  // of cache: the mirror of customresourcedefinitions
    Executor* executor = nullptr;
    config::ResourceSelection selection;
    std::optional<config::EncryptionConfig> encryption;
    std::vector<config::Resource> fixed;  // what is mirrored anyway
    // Gets all rows that definitions stand behind, each time they change.
    std::function<void(std::vector<http::ServedRow>)> publish;
    // Takes milliseconds: not done again for what has not changed.
    std::function<absl::StatusOr<crd::Definition>(absl::string_view)> parse = crd::ParseDefinition;
  };

  explicit DefinitionFollower(Options options);
  ~DefinitionFollower();

  // REQUIRES: the cache is started.
  void Start();
  // Nothing is added, removed or published afterwards. REQUIRES: not called on the executor.
  void Stop();
  // Whether all that the first list of definitions announced has been published, and so loaded.
  bool ready() const;

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_DEFINITION_FOLLOWER_H_
