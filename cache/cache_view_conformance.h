// The part of the suite that defines Cache (cache/cache_conformance.h) about views: lists, their pages, and what stays as it is.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_CACHE_CACHE_VIEW_CONFORMANCE_H_
#define TIDEMARK_CACHE_CACHE_VIEW_CONFORMANCE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/cache.h"
#include "cache/cache_harness.h"

namespace tidemark::cache {

TEST_P(CacheConformanceTest, ViewStaysAsItIs) {
  Begin();
  const Revision old = Put("default/a", {{"app", "web"}});
  const Revision taken = Put("default/b");
  harness_->Settle();
  const auto view = ReadNow({.freshness = Freshness::kAny});
  const auto exact = ReadNow({.freshness = Freshness::kExact, .revision = old});
  const Texts of_view = ExpectedObjects(taken);
  const Texts of_exact = ExpectedObjects(old);
  Put("default/a", {{"app", "db"}});
  Delete("default/b");
  const Revision last = Put("default/c");
  harness_->Settle();
  harness_->Compact(last);
  Rewind(old);
  EXPECT_EQ(Objects(view), of_view);
  EXPECT_EQ(Objects(view, {.selector = AppIs("web")}), (Texts{"default/a@2"}));
  EXPECT_EQ(Objects(exact), of_exact);
  EXPECT_EQ(view->revision, taken);
}

TEST_P(CacheConformanceTest, ListsOfEveryScopeAndSelector) {
  using Op = Requirement::Op;
  Begin();
  Put("default/a", {{"app", "web"}, {"tier", "front"}});
  Put("default/b", {{"app", "db"}});
  Put("default/c");
  const Revision old = Put("other/a", {{"app", "web"}});
  Put("default/a", {{"app", "db"}});
  Delete("default/b");
  const Revision last = Put("other/b", {{"app", "web"}, {"tier", "front"}});
  harness_->Settle();
  const std::vector<Scope> scopes = {{},        {"default", ""},     {"default", "a"},
                                     {"", "a"}, {"default", "none"}, {"def", ""}};
  const std::vector<Selector> selectors = {
      {},
      AppIs("web"),
      AppIs("none"),
      {{Label("app", Op::kIn, {"db", "web"})}},
      {{Label("app", Op::kNotIn, {"web"})}},
      {{Label("app", Op::kExists)}},
      {{Label("tier", Op::kNotExists)}},
      {{Label("app", Op::kIn, {"web"}), Label("tier", Op::kIn, {"front"})}},
      {{Field("metadata.name", Op::kIn, "a")}},
      {{Field("metadata.name", Op::kNotIn, "a")}},
      {{Field("metadata.namespace", Op::kIn, "other"), Label("app", Op::kIn, {"web"})}},
  };
  for (const Revision revision : {old, last}) {
    const auto view = ReadNow({.freshness = Freshness::kExact, .revision = revision});
    for (size_t scope = 0; scope < scopes.size(); ++scope) {
      for (size_t selector = 0; selector < selectors.size(); ++selector) {
        const ListQuery query{.scope = scopes[scope], .selector = selectors[selector]};
        EXPECT_EQ(Objects(view, query), ExpectedObjects(revision, query)) << scope << ", " << selector;
      }
    }
  }
}

TEST_P(CacheConformanceTest, LabelsAreComparedAsNumbers) {
  using Op = Requirement::Op;
  Begin();
  Put("default/nine", {{"rank", "9"}});
  Put("default/none");
  Put("default/ten", {{"rank", "10"}});
  Put("default/text", {{"rank", "high"}});
  const auto view = ReadNow({});
  EXPECT_EQ(Objects(view, {.selector = {{Label("rank", Op::kGreater, {"9"})}}}), (Texts{"default/ten@4"}));
  EXPECT_EQ(Objects(view, {.selector = {{Label("rank", Op::kLess, {"10"})}}}), (Texts{"default/nine@2"}));
}

TEST_P(CacheConformanceTest, PagesOfOneRevisionJoinToItsList) {
  Begin();
  for (int i = 0; i < 7; ++i) {
    Put(absl::StrCat(i < 5 ? "default/" : "other/", i), i % 3 == 1 ? Labels{} : Labels{{"app", "web"}});
  }
  const Revision revision = Delete("default/3");
  harness_->Settle();
  for (const std::string namespace_name : {"", "default"}) {
    for (const Selector& selector : {Selector(), AppIs("web")}) {
      for (const int64_t limit : {1, 2, 3, 7}) {
        const ListQuery whole{.scope = {namespace_name, ""}, .selector = selector};
        const Texts expected = ExpectedObjects(revision, whole);
        ListQuery query = whole;
        query.limit = limit;
        Texts joined;
        for (bool more = true; more && joined.size() <= expected.size();) {
          const auto view = ReadNow({.freshness = Freshness::kExact, .revision = revision});
          ASSERT_TRUE(view.ok()) << view.status();
          const auto cursor = view->snapshot->List(query);
          const Texts page = Objects(cursor.get());
          EXPECT_LE(page.size(), static_cast<size_t>(limit));
          joined.insert(joined.end(), page.begin(), page.end());
          more = !cursor->continue_key().empty();
          EXPECT_EQ(cursor->remaining().has_value(), more && selector.empty());
          if (cursor->remaining()) {
            EXPECT_EQ(*cursor->remaining(), static_cast<int64_t>(expected.size() - joined.size()));
          }
          EXPECT_TRUE(!more || cursor->continue_key() > query.start_key) << cursor->continue_key();
          query.start_key = cursor->continue_key();
          Put("default/1");  // what changes between two pages is in neither
          harness_->Settle();
        }
        EXPECT_EQ(joined, expected) << namespace_name << ", limit " << limit;
      }
    }
  }
}

TEST_P(CacheConformanceTest, UnreadableObjectFailsTheListsOfItsScope) {
  const Revision last = Put("default/a", {{"app", "web"}});
  Begin();
  Put("other/b");
  harness_->PutUnreadable("default/bad");
  const auto view = ReadNow({});
  ASSERT_TRUE(view.ok()) << view.status();
  const Texts corrupt = {ErrorText(ErrorKind::kCorrupt)};
  EXPECT_EQ(Objects(view), corrupt) << "before it gives any";
  EXPECT_EQ(Objects(view, {.limit = 1}), corrupt);
  EXPECT_EQ(Objects(view, {.scope = {"default", ""}, .selector = AppIs("web")}), corrupt);
  EXPECT_EQ(Objects(view, {.scope = {"other", ""}}), (Texts{"other/b@3"}));
  EXPECT_EQ(Objects(view, {.scope = {"default", "a"}}), (Texts{"default/a@2"}));
  EXPECT_EQ(view->snapshot->size(), 3u);
  const Object* const bad = view->snapshot->Get("default/bad");
  ASSERT_NE(bad, nullptr);
  EXPECT_TRUE(bad->unreadable());
  ASSERT_NE(view->snapshot->Get("default/a"), nullptr);
  EXPECT_EQ(view->snapshot->Get("default/a")->mod_revision(), last);
  EXPECT_EQ(view->snapshot->Get("default/none"), nullptr);
  Put("default/bad");
  EXPECT_EQ(Objects(ReadNow({})), (Texts{"default/a@2", "default/bad@5", "other/b@3"}));
}

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_CACHE_VIEW_CONFORMANCE_H_
