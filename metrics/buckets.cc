#include "metrics/buckets.h"

namespace tidemark::metrics {

std::vector<double> RequestBuckets() {
  return {.005, .025, .05, .1, .2, .4, .6, .8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60};
}

std::vector<double> ReadWaitBuckets() {
  return {.001, .002, .005, .01, .025, .05, .1, .2, .4, .6, .8, 1, 1.25, 1.5, 2, 3};
}

std::vector<double> InitializationBuckets() { return {.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 180, 600}; }

std::vector<double> ShortWaitBuckets() { return {.0001, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 3}; }

std::vector<double> ResponseSizeBuckets() { return {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}; }

std::vector<double> DiskBuckets() {
  return {.001, .002, .004, .008, .016, .032, .064, .128, .256, .512, 1.024, 2.048, 4.096, 8.192};
}

}  // namespace tidemark::metrics
