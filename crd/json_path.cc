#include "crd/json_path.h"

#include <algorithm>
#include <utility>

namespace tidemark::crd {
namespace {

// How a filter compares: values of different types are no answer but an error.
enum class Order { kLess, kEqual, kGreater, kDiffers, kError };

template <typename T>
Order OrderOf(const T& a, const T& b) {
  return a < b ? Order::kLess : b < a ? Order::kGreater : Order::kEqual;
}

Order Compare(const Json& a, const Json& b) {
  if (a.is_boolean() && b.is_boolean()) return a == b ? Order::kEqual : Order::kDiffers;
  if (a.is_string() && b.is_string()) return OrderOf(a.get_ref<const std::string&>(), b.get_ref<const std::string&>());
  if (a.is_number_float() && b.is_number_float()) return OrderOf(a.get<double>(), b.get<double>());
  const auto whole_a = Integer(a), whole_b = Integer(b);
  return whole_a.has_value() && whole_b.has_value() ? OrderOf(*whole_a, *whole_b) : Order::kError;
}

// Whether "a op b" holds; false in *valid when it cannot be said.
bool Holds(const Json& a, const std::string& op, const Json& b, bool* valid) {
  const Order order = Compare(a, b);
  *valid = order != Order::kError && (order != Order::kDiffers || op == "!=" || op == "==");
  // Of two booleans no order is known.
  if (a.is_boolean() && op != "==" && op != "!=") *valid = false;
  if (op == "==") return order == Order::kEqual;
  if (op == "!=") return order != Order::kEqual;
  if (op == "<") return order == Order::kLess;
  if (op == ">") return order == Order::kGreater;
  if (op == "<=") return order == Order::kLess || order == Order::kEqual;
  if (op == ">=") return order == Order::kGreater || order == Order::kEqual;
  *valid = false;
  return false;
}

}  // namespace

const Json* JsonPath::First(const Json& object) const {
  Found found = {&object};
  Looks looks;
  return Walk(&found, &looks) && !looks.ran_out() && !found.empty() ? found.front() : nullptr;
}

bool JsonPath::Walk(Found* found, Looks* looks) const {
  for (const Step& step : steps_) {
    if (!looks->Take(1 + found->size())) return false;
    Found next;
    const Taken taken = TakeStep(step, *found, looks, &next);
    if (taken == Taken::kNone) return false;
    *found = std::move(next);
    if (taken == Taken::kSome) return false;
  }
  return true;
}

JsonPath::Taken JsonPath::TakeStep(const Step& step, const Found& found, Looks* looks, Found* next) {
  switch (step.type) {
    case Step::Type::kLiteral:
      // Of a text there is one, of a number one for each value.
      next->assign(step.literal.is_string() ? 1 : found.size(), &step.literal);
      return Taken::kAll;
    case Step::Type::kWord:
      return Taken::kNone;
    case Step::Type::kUnion:
      return TakeUnion(step, found, looks, next);
    default:
      break;
  }
  for (const Json* value : found) {
    const Taken taken = Take(step, *value, looks, next);
    if (next->size() > kFoundMax) return Taken::kNone;
    if (taken != Taken::kAll) return taken;
  }
  return Taken::kAll;
}

JsonPath::Taken JsonPath::TakeUnion(const Step& step, const Found& found, Looks* looks, Found* next) {
  for (const JsonPath& path : step.paths) {
    Found branch = found;
    if (!path.Walk(&branch, looks)) return Taken::kNone;
    next->insert(next->end(), branch.begin(), branch.end());
    if (next->size() > kFoundMax) return Taken::kNone;
  }
  return Taken::kAll;
}

JsonPath::Taken JsonPath::Take(const Step& step, const Json& value, Looks* looks, Found* next) {
  if (step.type == Step::Type::kFilter) return TakeFiltered(step, value, looks, next);
  if (value.is_null()) return Taken::kAll;
  switch (step.type) {
    case Step::Type::kField:
      if (const Json* member = Member(value, step.name)) next->push_back(member);
      return Taken::kAll;
    case Step::Type::kWildcard:
      return TakeChildren(value, looks, next);
    case Step::Type::kRecursive:
      return TakeRecursive(value, looks, next);
    default:
      return TakeSlice(step.slice, value, looks, next);
  }
}

JsonPath::Taken JsonPath::TakeChildren(const Json& value, Looks* looks, Found* next) {
  if (!value.is_structured()) return Taken::kAll;
  for (const Json& child : value) next->push_back(&child);
  return looks->Take(value.size()) ? Taken::kAll : Taken::kNone;
}

JsonPath::Taken JsonPath::TakeRecursive(const Json& value, Looks* looks, Found* next) {
  if (!value.is_structured() || value.empty()) return Taken::kAll;
  next->push_back(&value);
  if (!looks->Take(value.size())) return Taken::kNone;
  for (const Json& child : value) {
    if (TakeRecursive(child, looks, next) == Taken::kNone) return Taken::kNone;
  }
  return Taken::kAll;
}

JsonPath::Taken JsonPath::TakeSlice(const Slice& slice, const Json& array, Looks* looks, Found* next) {
  if (!array.is_array()) return Taken::kNone;
  const auto length = static_cast<int64_t>(array.size());
  int64_t begin = slice.begin_known ? slice.begin : 0;
  if (begin < 0) begin += length;
  int64_t end = slice.end_known ? slice.end : length;
  if (end < 0 || (end == 0 && slice.end_derived)) end += length;
  if (begin == end) return Taken::kEnough;  // as the real one does it, an empty list too
  if (begin < 0 || begin >= length || end < 0 || end > length || begin > end || slice.step <= 0) return Taken::kNone;
  for (int64_t i = begin; i < end; i += slice.step) next->push_back(&array[static_cast<size_t>(i)]);
  return looks->Take(static_cast<size_t>((end - begin) / slice.step)) ? Taken::kAll : Taken::kNone;
}

JsonPath::Taken JsonPath::TakeFiltered(const Step& step, const Json& array, Looks* looks, Found* next) {
  if (!array.is_array() || !looks->Take(array.size())) return Taken::kNone;
  for (const Json& element : array) {
    Found left = {&element};
    const bool walked = step.paths[0].Walk(&left, looks);
    if (step.op.empty()) {
      if (!left.empty()) next->push_back(&element);
      continue;
    }
    Found right = {&element};
    if (!walked) return Taken::kNone;
    if (left.empty()) continue;
    if (left.size() > 1 || !step.paths[1].Walk(&right, looks)) return Taken::kNone;
    if (right.empty()) continue;
    if (right.size() > 1) return Taken::kNone;
    bool valid = false;
    const bool holds = Holds(*left[0], step.op, *right[0], &valid);
    if (!valid) return Taken::kSome;
    if (holds) next->push_back(&element);
  }
  return Taken::kAll;
}

}  // namespace tidemark::crd
