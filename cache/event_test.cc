#include "cache/event.h"

#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

ObjectRef MakeTestObject(int64_t revision) { return MakeUnreadableObject("default/a", Revision(revision), "a test"); }

TEST(EventTest, CreateUpdateAndDelete) {
  const EventRef create = Event::Make(Revision(5), MakeTestObject(5), {});
  EXPECT_EQ(create->old_object(), nullptr);
  EXPECT_EQ(create->any_object().key(), "default/a");
  const EventRef gone = Event::Make(Revision(7), {}, MakeTestObject(5));
  EXPECT_EQ(gone->object(), nullptr);
  EXPECT_EQ(gone->any_object().mod_revision(), Revision(5));
  EXPECT_GT(gone->kept_bytes(), create->kept_bytes()) << "the old object is what the history keeps alive";
}

TEST(EventTest, FrameIsBuiltOncePerSlot) {
  const EventRef event = Event::Make(Revision(5), MakeTestObject(5), {});
  int built = 0;
  const auto build = [&built] { return absl::StrCat("frame ", ++built); };
  const std::string& added = event->Frame(FrameSlot(0, WatchEventType::kAdded), build);
  EXPECT_EQ(added, "frame 1");
  EXPECT_EQ(event->Frame(FrameSlot(0, WatchEventType::kModified), build), "frame 2");
  EXPECT_EQ(event->Frame(FrameSlot(1, WatchEventType::kAdded), build), "frame 3");
  EXPECT_EQ(&event->Frame(FrameSlot(0, WatchEventType::kAdded), build), &added);
  EXPECT_EQ(built, 3);
}

TEST(EventTest, FrameBytesAreCountedUntilTheEventIsGone) {
  auto bytes = std::make_shared<Event::FrameBytes>(0);
  EventRef event = Event::Make(Revision(5), MakeTestObject(5), {}, bytes);
  event->Frame(0, [] { return std::string(1000, 'x'); });
  EXPECT_GE(bytes->load(), 1000);
  EventRef second = event;
  event = {};
  EXPECT_GE(bytes->load(), 1000);
  second = {};
  EXPECT_EQ(bytes->load(), 0);
}

TEST(EventTest, ManyThreadsShareOneBuildPerSlot) {
  for (int round = 0; round < 50; ++round) {
    const EventRef event = Event::Make(Revision(5), MakeTestObject(5), {});
    std::atomic<int> built{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([event, t, &built] {
        for (uint32_t i = 0; i < 8; ++i) {
          const uint32_t slot = (i + static_cast<uint32_t>(t)) % 8;
          const std::string& frame = event->Frame(slot, [&] {
            ++built;
            return absl::StrCat("slot ", slot);
          });
          EXPECT_EQ(frame, absl::StrCat("slot ", slot));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(built, 8);
  }
}

}  // namespace
}  // namespace tidemark::cache
