#include "cache/read_changes.h"

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

struct ReadRow {
  const char* name;
  const char* stored;
  const char* read;  // nullptr: stays
};

void CheckReads(absl::string_view api_version, absl::string_view kind, absl::Span<const ReadRow> rows) {
  const ReadChange change = FindReadChange(api_version, kind);
  ASSERT_NE(change, nullptr) << kind;
  for (const ReadRow& row : rows) {
    std::string json;
    EXPECT_EQ(change(row.stored, &json), row.read != nullptr) << row.name;
    EXPECT_EQ(json, row.read == nullptr ? "" : row.read) << row.name;
    // What was read once stays.
    std::string again;
    EXPECT_TRUE(row.read == nullptr || !change(row.read, &again) || again == row.read) << row.name << again;
  }
}

TEST(ReadChangesTest, MostKindsStay) {
  EXPECT_EQ(FindReadChange("v1", "Pod"), nullptr);
  EXPECT_EQ(FindReadChange("v1", "Job"), nullptr);
  EXPECT_EQ(FindReadChange("batch/v1", "CronJob"), nullptr);
}

TEST(ReadChangesTest, DefinitionsAreStoredInAnOlderVersion) {
  const ReadRow rows[] = {
      {"what versions share",
       R"({"metadata":{"name":"ks.g.io"},"spec":{"group":"g.io","version":"v1","names":{"plural":"ks",)"
       R"("singular":"k","kind":"K","listKind":"KList"},"scope":"Namespaced",)"
       R"("validation":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},)"
       R"("versions":[{"name":"v1","served":true,"storage":true,)"
       R"("selectableFields":[{"jsonPath":".v1"}]},{"name":"v2","served":true,"storage":false,)"
       R"("selectableFields":[{"jsonPath":".v2"}]}],"additionalPrinterColumns":[{"name":"A",)"
       R"("type":"date","priority":1,"JSONPath":".a"}],"conversion":{"strategy":"Webhook",)"
       R"("webhookClientConfig":{"url":"https://x"},"conversionReviewVersions":["v1"]},)"
       R"("preserveUnknownFields":false},"status":{"conditions":null,"acceptedNames":{"plural":"",)"
       R"("kind":""},"storedVersions":["v1"]}})",
       R"({"metadata":{"name":"ks.g.io"},"spec":{"group":"g.io","names":{"plural":"ks","singular":"k",)"
       R"("kind":"K","listKind":"KList"},"scope":"Namespaced","versions":[{"name":"v1","served":true,)"
       R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},)"
       R"("additionalPrinterColumns":[{"name":"A","type":"date","priority":1,"jsonPath":".a"}],)"
       R"("selectableFields":[{"jsonPath":".v1"}]},{"name":"v2","served":true,"storage":false,)"
       R"("schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},)"
       R"("additionalPrinterColumns":[{"name":"A","type":"date","priority":1,"jsonPath":".a"}],)"
       R"("selectableFields":[{"jsonPath":".v2"}]}],"conversion":{"strategy":"Webhook",)"
       R"("webhook":{"clientConfig":{"url":"https://x"},"conversionReviewVersions":["v1"]}}},)"
       R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}})"},
      {"what versions have of their own",
       R"({"metadata":{"name":"ks.g.io"},"spec":{"group":"g.io","version":"v1","names":{"plural":"ks",)"
       R"("singular":"k","kind":"K","listKind":"KList"},"scope":"Namespaced","versions":[{"name":"v1",)"
       R"("served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},)"
       R"("subresources":{"status":{}},"additionalPrinterColumns":[{"name":"A","type":"date",)"
       R"("priority":1,"JSONPath":".a"}],"selectableFields":[{"jsonPath":".v1"}]},{"name":"v2",)"
       R"("served":true,"storage":false,"additionalPrinterColumns":[{"name":"A","type":"date",)"
       R"("description":"d","priority":1,"JSONPath":".a"}],"selectableFields":[{"jsonPath":".v2"}]}],)"
       R"("conversion":{"strategy":"None"},"preserveUnknownFields":true},"status":{"conditions":null,)"
       R"("acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}})",
       R"({"metadata":{"name":"ks.g.io"},"spec":{"group":"g.io","names":{"plural":"ks","singular":"k",)"
       R"("kind":"K","listKind":"KList"},"scope":"Namespaced","versions":[{"name":"v1","served":true,)"
       R"("storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},"subresources":{"status":{}},)"
       R"("additionalPrinterColumns":[{"name":"A","type":"date","priority":1,"jsonPath":".a"}],)"
       R"("selectableFields":[{"jsonPath":".v1"}]},{"name":"v2","served":true,"storage":false,)"
       R"("additionalPrinterColumns":[{"name":"A","type":"date","description":"d","priority":1,)"
       R"("jsonPath":".a"}],"selectableFields":[{"jsonPath":".v2"}]}],"conversion":{"strategy":"None"},)"
       R"("preserveUnknownFields":true},"status":{"conditions":null,"acceptedNames":{"plural":"",)"
       R"("kind":""},"storedVersions":["v1"]}})"},
      {"a version alone, and nothing said of unknown fields",
       R"({"metadata":{},"spec":{"group":"g","version":"v1","names":{"kind":"K"},"scope":"Cluster"}})",
       R"({"metadata":{},"spec":{"group":"g","names":{"kind":"K"},"scope":"Cluster","versions":[{"name":"v1",)"
       R"("served":true,"storage":true}],"conversion":{"strategy":"None"},"preserveUnknownFields":true}})"},
      {"already in v1", R"({"metadata":{},"spec":{"group":"g","versions":[{"name":"v1"}]}})", nullptr},
  };
  CheckReads("apiextensions.k8s.io/v1", "CustomResourceDefinition", rows);
}

TEST(ReadChangesTest, JobsHaveTheirTemplatesLabels) {
  const ReadRow rows[] = {
      {"none of its own",
       R"({"metadata":{"name":"a","managedFields":[]},"spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})",
       R"({"metadata":{"name":"a","labels":{"b":"c"},"managedFields":[]},"spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})"},
      {"its own", R"({"metadata":{"labels":{"x":"y"}},"spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})",
       nullptr},
      {"none at all", R"({"metadata":{},"spec":{"template":{"metadata":{}}}})", nullptr},
  };
  CheckReads("batch/v1", "Job", rows);
}

TEST(ReadChangesTest, ClaimTemplatesAreClaims) {
  const ReadRow rows[] = {
      {"one pending, one not",
       R"({"metadata":{},"spec":{"volumeClaimTemplates":[{"metadata":{"name":"d"},"spec":{},"status":{"phase":"Pending"}},)"
       R"({"metadata":{"name":"e"},"spec":{},"status":{}}],"serviceName":"s"}})",
       R"({"metadata":{},"spec":{"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1",)"
       R"("metadata":{"name":"d"},"spec":{},"status":{"phase":"Pending"}},{"kind":"PersistentVolumeClaim","apiVersion":"v1",)"
       R"("metadata":{"name":"e"},"spec":{},"status":{"phase":"Pending"}}],"serviceName":"s"}})"},
      {"none", R"({"metadata":{},"spec":{"serviceName":"s"}})", nullptr},
  };
  CheckReads("apps/v1", "StatefulSet", rows);
}

TEST(ReadChangesTest, VolumesAndClaimsArePending) {
  const ReadRow volumes[] = {
      {"no phase", R"({"spec":{},"status":{"message":"m"}})",
       R"({"spec":{},"status":{"phase":"Pending","message":"m"}})"},
      {"an empty one", R"({"spec":{},"status":{"phase":""}})", R"({"spec":{},"status":{"phase":"Pending"}})"},
      {"no status", R"({"spec":{}})", R"({"spec":{},"status":{"phase":"Pending"}})"},
      {"bound", R"({"spec":{},"status":{"phase":"Bound"}})", nullptr},
  };
  CheckReads("v1", "PersistentVolume", volumes);
  const ReadRow claims[] = {
      {"no phase", R"({"spec":{},"status":{}})", R"({"spec":{},"status":{"phase":"Pending"}})"},
      {"the old source",
       R"({"spec":{"dataSource":{"apiGroup":null,"kind":"K","name":"n"},"volumeAttributesClassName":"c"},)"
       R"("status":{"phase":"Bound"}})",
       R"({"spec":{"dataSource":{"apiGroup":null,"kind":"K","name":"n"},"dataSourceRef":{"apiGroup":null,"kind":"K","name":"n"},)"
       R"("volumeAttributesClassName":"c"},"status":{"phase":"Bound"}})"},
      {"the new source, and no phase",
       R"({"spec":{"dataSourceRef":{"apiGroup":"g","kind":"K","name":"n"}},"status":{}})",
       R"({"spec":{"dataSource":{"apiGroup":"g","kind":"K","name":"n"},"dataSourceRef":{"apiGroup":"g","kind":"K","name":"n"}},)"
       R"("status":{"phase":"Pending"}})"},
      {"a source elsewhere",
       R"({"spec":{"dataSourceRef":{"kind":"K","name":"n","namespace":"x"}},"status":{"phase":"Bound"}})", nullptr},
  };
  CheckReads("v1", "PersistentVolumeClaim", claims);
}

TEST(ReadChangesTest, OldServices) {
  const ReadRow rows[] = {
      {"of today",
       R"({"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"type":"ClusterIP","ipFamilies":["IPv4"],)"
       R"("ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})",
       nullptr},
      {"one address",
       R"({"spec":{"clusterIP":"10.0.0.1","type":"ClusterIP","sessionAffinity":"None"},"status":{"loadBalancer":{}}})",
       R"({"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"type":"ClusterIP","sessionAffinity":"None",)"
       R"("ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{}}})"},
      {"of the sixth version",
       R"({"spec":{"clusterIP":"fd00::1","type":"NodePort","internalTrafficPolicy":"Local"},"status":{}})",
       R"({"spec":{"clusterIP":"fd00::1","clusterIPs":["fd00::1"],"type":"NodePort","ipFamilies":["IPv6"],)"
       R"("ipFamilyPolicy":"SingleStack","internalTrafficPolicy":"Local"},"status":{}})"},
      {"without an address: its families are the cluster's",
       R"({"spec":{"clusterIP":"None","type":"ClusterIP","internalTrafficPolicy":"Cluster"},"status":{}})",
       R"({"spec":{"clusterIP":"None","clusterIPs":["None"],"type":"ClusterIP","internalTrafficPolicy":"Cluster"},"status":{}})"},
      {"a name elsewhere",
       R"({"spec":{"type":"ExternalName","externalName":"x","internalTrafficPolicy":"Cluster"},"status":{}})",
       R"({"spec":{"type":"ExternalName","externalName":"x"},"status":{}})"},
      {"a balancer's addresses",
       R"({"spec":{"type":"LoadBalancer","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{"ingress":[)"
       R"({"ip":"1.2.3.4","ports":[]},{"hostname":"h"},{"ip":"1.2.3.5","ipMode":"Proxy"}]}}})",
       R"({"spec":{"type":"LoadBalancer","internalTrafficPolicy":"Cluster"},"status":{"loadBalancer":{"ingress":[)"
       R"({"ip":"1.2.3.4","ipMode":"VIP","ports":[]},{"hostname":"h"},{"ip":"1.2.3.5","ipMode":"Proxy"}]}}})"},
  };
  CheckReads("v1", "Service", rows);
}

}  // namespace
}  // namespace tidemark::cache
