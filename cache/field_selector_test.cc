#include <string>
#include <vector>

#include "cache/selector.h"
#include "cache/test_selectors.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

struct Row {
  std::string text;
  std::string shown;
};

TEST(FieldSelectorTest, ParsesAndRefusesWhatKubernetesDoes) {
  const std::vector<Row> rows = {
      {"", ""},
      {",", ""},
      {"metadata.name=a", "metadata.name=a"},
      {"metadata.name==a", "metadata.name=a"},
      {"metadata.name!=a", "metadata.name!=a"},
      {"metadata.name=a,", "metadata.name=a"},
      {"metadata.namespace=x,metadata.name=b,metadata.name=a",
       "metadata.name=a & metadata.name=b & metadata.namespace=x"},
      {"metadata.name=", "metadata.name="},
      {"metadata.name=a\\,b", "metadata.name=a,b"},
      {"metadata.name=a\\=b", "metadata.name=a=b"},
      {"metadata.name=a\\\\b", "metadata.name=a\\b"},
      {"metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"},
      {"metadata.name=a,b", "invalid selector: 'metadata.name=a,b'; can't understand 'b'"},
      {"metadata.name in (a)", "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'"},
      {"!metadata.name", "invalid selector: '!metadata.name'; can't understand '!metadata.name'"},
      {"metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
      {"metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"},
      {"metadata.name=a\\\xc3\xa4", "invalid field selector: invalid escape sequence: \\\xc3\xa4"},
      {"metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"},
      {"metadata.name = a",
       "\"metadata.name \" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"=a", "\"\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"zzz=1,data.n=1", "\"data.n\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"nonsense=1,metadata.name=a=b", "invalid field selector: unescaped character in value: 61"},
  };
  for (const Row& row : rows) EXPECT_EQ(Show(ParseFieldSelector(row.text, Find("configmaps"))), row.shown) << row.text;
}

TEST(FieldSelectorTest, EachResourceKnowsItsOwnFields) {
  struct FieldRow {
    const char* plural;
    const char* group;
    const char* text;
    const char* shown;
  };
  const FieldRow rows[] = {
      {"pods", "", "spec.nodeName=n1,status.phase!=Running", "spec.nodeName=n1 & status.phase!=Running"},
      {"pods", "", "spec.host=n1", "spec.nodeName=n1"},
      {"pods", "", "status.podIPs=", "status.podIPs="},
      {"pods", "", "status.hostIP=1", "field label not supported: status.hostIP"},
      {"nodes", "", "spec.unschedulable=true", "spec.unschedulable=true"},
      {"nodes", "", "metadata.namespace=", "field label not supported: metadata.namespace"},
      {"namespaces", "", "name=north", "field label not supported: name"},
      {"namespaces", "", "metadata.namespace=north", "field label not supported: metadata.namespace"},
      {"persistentvolumes", "", "metadata.namespace=", "metadata.namespace="},
      {"persistentvolumes", "", "name=x",
       "\"name\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""},
      {"events", "", "source=kubelet", "source.component=kubelet"},
      {"events", "", "message=m", "field label not supported: message"},
      {"jobs", "batch", "status.successful=0", "status.succeeded=0"},
      {"jobs", "batch", "status.active=1", "field label \"status.active\" not supported for Job"},
      {"resourceslices", "resource.k8s.io", "spec.pool=p",
       "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.pool"},
  };
  for (const FieldRow& row : rows) {
    EXPECT_EQ(Show(ParseFieldSelector(row.text, Find(row.plural, row.group))), row.shown)
        << row.plural << " " << row.text;
  }
}

}  // namespace
}  // namespace tidemark::cache
