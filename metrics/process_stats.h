// ProcessStats is what /proc says of this process.
//
// Thread-safety: thread-safe.
// Errors:        a figure that cannot be read is 0.
// Cost:          a few system calls.
#ifndef TIDEMARK_METRICS_PROCESS_STATS_H_
#define TIDEMARK_METRICS_PROCESS_STATS_H_

namespace tidemark::metrics {

struct ProcessStats {
  double cpu_seconds = 0;  // user and system, all threads
  double resident_bytes = 0;
  double open_files = 0;
  double start_time_seconds = 0;  // since 1970
};

ProcessStats ReadProcessStats();

// One of them by itself: counting the open files would disturb what is measured.
double ReadCpuSeconds();
double ReadResidentBytes();

}  // namespace tidemark::metrics

#endif  // TIDEMARK_METRICS_PROCESS_STATS_H_
