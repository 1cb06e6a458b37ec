// A document with all that swagger.proto can hold, for tests, and its bytes as gnostic writes them.
//
// Thread-safety: constants.
#ifndef TIDEMARK_OPENAPI_TEST_WHOLE_SWAGGER_H_
#define TIDEMARK_OPENAPI_TEST_WHOLE_SWAGGER_H_

namespace tidemark::openapi {

// Has every field of swagger.proto, none of them zero or empty.
inline constexpr char kWholeSwagger[] = R"({
  "swagger": "2.0",
  "info": {"title": "t", "version": "v", "description": "d", "x-info": [{"a": {"b": 1}}]},
  "paths": {
    "x-paths": "word",
    "/a/{p}": {
      "get": {
        "tags": ["t", "u"], "summary": "s", "description": "d", "operationId": "o", "produces": ["a/b"],
        "consumes": ["*/*", "c/d"], "schemes": ["https"], "deprecated": true, "security": [{"Token": ["x", "y"]}],
        "parameters": [
          {"name": "q", "in": "query", "type": "string", "required": true, "uniqueItems": true, "allowEmptyValue": true,
           "format": "f", "default": 3, "pattern": "p", "enum": ["a", 1], "description": "d", "x-query": "word"},
          {"$ref": "#/parameters/p", "description": "r"},
          {"name": "b", "in": "body", "required": true, "description": "e", "schema": {"$ref": "#/s"}, "x-body": 1}
        ],
        "responses": {
          "200": {"description": "ok", "schema": {"type": "string"}, "x-response": 1.5},
          "401": {"description": "no"},
          "404": {"$ref": "#/r", "description": "r"},
          "default": {"description": "other"},
          "x-responses": true
        },
        "x-kubernetes-action": "list"
      },
      "delete": {"operationId": "delete", "responses": {"200": {"description": "ok"}}},
      "head": {"operationId": "head", "responses": {"200": {"description": "ok"}}},
      "options": {"operationId": "options", "responses": {"200": {"description": "ok"}}},
      "patch": {"operationId": "patch", "responses": {"200": {"description": "ok"}}},
      "post": {"operationId": "post", "responses": {"200": {"description": "ok"}}},
      "put": {"operationId": "put", "responses": {"200": {"description": "ok"}}},
      "parameters": [
        {"name": "p", "in": "path", "type": "string", "required": true, "uniqueItems": true, "format": "f",
         "default": "d", "pattern": "p", "enum": ["a", 1], "description": "d", "x-path": null}
      ],
      "x-item": {"a": ["b", {}]}
    }
  },
  "definitions": {
    "x-definition": {
      "$ref": "#/s", "format": "f", "title": "t", "description": "d", "default": {"a": [1]}, "multipleOf": 2.5,
      "maximum": 9.5, "exclusiveMaximum": true, "minimum": -1e30, "exclusiveMinimum": true, "maxLength": 11,
      "minLength": 12, "pattern": "^a$", "maxItems": 14, "minItems": 15, "uniqueItems": true, "maxProperties": 17,
      "minProperties": 18, "required": ["a", "b"], "enum": ["x", 2, null, {"k": []}], "type": ["string", "null"],
      "items": {"type": "string"}, "allOf": [{"format": "f"}, {"type": "object", "properties": {}}],
      "additionalProperties": {"type": "integer"}, "readOnly": true, "example": {"z": true},
      "externalDocs": {"url": "u", "description": "d", "x-docs": "word"},
      "properties": {
        "default": {"items": {}}, "entries": {"additionalProperties": false}, "x-property": {"additionalProperties": true}
      },
      "x-kubernetes-group-version-kind": [{"group": "", "kind": "K", "version": "v1"}],
      "x-kubernetes-int-or-string": true
    }
  },
  "parameters": {
    "b": {"name": "b", "in": "body", "schema": {}},
    "p": {"name": "p", "in": "query", "type": "integer"}
  },
  "security": [{"Token": []}],
  "securityDefinitions": {"Token": {"type": "apiKey", "name": "a", "in": "header", "description": "d", "x-key": "word"}},
  "x-document": "word"
})";

// What gnostic 0.7.0 makes of kWholeSwagger with sorted names, in base64.
inline constexpr char kWholeSwaggerBytes[] =
    "CgMyLjASJQoBdBIBdhoBZDoaCgZ4LWluZm8SEBIOLSBhOgogICAgYjogMQpCqQUKEgoHeC1wYXRocxIHEgV3b3JkChKSBQoGL2Eve3B9EocFEvcC"
    "CgF0CgF1EgFzGgFkKgFvMgNhL2I6AyovKjoDYy9kQlIKUBJOGkwIARIFcXVlcnkaAWQiAXEoATIGc3RyaW5nOgFmUgQSAjMKigEBcKABAaoBBBIC"
    "YQqqAQQSAjEKugESCgd4LXF1ZXJ5EgcSBXdvcmQKQhUSEwoOIy9wYXJhbWV0ZXJzL3ASAXJCKQonCiUKAWUSAWIaBGJvZHkgASoFCgMjL3MyDgoG"
    "eC1ib2R5EgQSAjEKSoQBCjIKAzIwMBIrCikKAm9rEg0KC7IBCAoGc3RyaW5nKhQKCngtcmVzcG9uc2USBhIEMS41CgoNCgM0MDESBgoECgJubwoR"
    "CgM0MDQSChIICgMjL3ISAXIKFAoHZGVmYXVsdBIJCgcKBW90aGVyEhYKC3gtcmVzcG9uc2VzEgcSBXRydWUKUgVodHRwc1gBYhEKDwoFVG9rZW4S"
    "BgoBeAoBeWoeChN4LWt1YmVybmV0ZXMtYWN0aW9uEgcSBWxpc3QKGhYqA3B1dEoPCg0KAzIwMBIGCgQKAm9rIhcqBHBvc3RKDwoNCgMyMDASBgoE"
    "CgJvayoZKgZkZWxldGVKDwoNCgMyMDASBgoECgJvazIaKgdvcHRpb25zSg8KDQoDMjAwEgYKBAoCb2s6FyoEaGVhZEoPCg0KAzIwMBIGCgQKAm9r"
    "QhgqBXBhdGNoSg8KDQoDMjAwEgYKBAoCb2tKTgpMEkoiSAgBEgRwYXRoGgFkIgFwKgZzdHJpbmcyAWZKBBICZAqCAQFwmAEBogEEEgJhCqIBBBIC"
    "MQqyAREKBngtcGF0aBIHEgVudWxsClIgCgZ4LWl0ZW0SFhIUYToKICAgIC0gYgogICAgLSB7fQpKtgMKswMKDHgtZGVmaW5pdGlvbhKiAwoDIy9z"
    "EgFmGgF0IgFkKg0SC2E6CiAgICAtIDEKMQAAAAAAAARAOQAAAAAAACNAQAFJ6oygOVk+KcZQAVgLYAxqA15hJHAOeA+AAQGIARGQARKaAQFhmgEB"
    "YqIBBBICeAqiAQQSAjIKogEHEgVudWxsCqIBCBIGazogW10KqgEOCgyyAQkKB2ludGVnZXKyAQ4KBnN0cmluZwoEbnVsbLoBDQoLsgEICgZzdHJp"
    "bmfCAQMSAWbCAQ6yAQgKBm9iamVjdMoBAMoBOQoQCgdkZWZhdWx0EgW6AQIKAAoQCgdlbnRyaWVzEgWqAQIQAAoTCgp4LXByb3BlcnR5EgWqAQIQ"
    "AdgBAeoBGQoBZBIBdRoRCgZ4LWRvY3MSBxIFd29yZAryAQoSCHo6IHRydWUK+gFJCh94LWt1YmVybmV0ZXMtZ3JvdXAtdmVyc2lvbi1raW5kEiYS"
    "JC0gZ3JvdXA6ICIiCiAga2luZDogSwogIHZlcnNpb246IHYxCvoBJQoaeC1rdWJlcm5ldGVzLWludC1vci1zdHJpbmcSBxIFdHJ1ZQpSMgoSCgFi"
    "Eg0KCxIBYhoEYm9keSoAChwKAXASFxIVGhMSBXF1ZXJ5IgFwMgdpbnRlZ2VyYgsKCQoFVG9rZW4SAGo1CjMKBVRva2VuEioSKAoGYXBpS2V5EgFh"
    "GgZoZWFkZXIiAWQqEAoFeC1rZXkSBxIFd29yZAqCARUKCngtZG9jdW1lbnQSBxIFd29yZAo=";

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_TEST_WHOLE_SWAGGER_H_
