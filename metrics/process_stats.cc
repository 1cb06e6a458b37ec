#include "metrics/process_stats.h"

#include <dirent.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace tidemark::metrics {
namespace {

double OpenFiles() {
  DIR* dir = opendir("/proc/self/fd");
  if (dir == nullptr) return 0;
  double count = 0;
  while (const dirent* entry = readdir(dir)) count += entry->d_name[0] != '.';
  closedir(dir);
  return count - 1;  // the directory itself
}

// Field 22 of /proc/self/stat counts ticks since boot; the name in field 2 may hold spaces, so
// counting starts behind it.
double StartTimeSeconds() {
  std::ifstream stat("/proc/self/stat");
  std::string line;
  std::getline(stat, line);
  const size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  timespec since_boot{}, now{};
  clock_gettime(CLOCK_BOOTTIME, &since_boot);
  clock_gettime(CLOCK_REALTIME, &now);
  const double boot_time = static_cast<double>(now.tv_sec - since_boot.tv_sec);
  return boot_time + std::strtod(field.c_str(), nullptr) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

double ReadCpuSeconds() {
  timespec spent{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent) != 0) return 0;
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) / 1e9;
}

double ReadResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0, resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

ProcessStats ReadProcessStats() {
  return {.cpu_seconds = ReadCpuSeconds(),
          .resident_bytes = ReadResidentBytes(),
          .open_files = OpenFiles(),
          .start_time_seconds = StartTimeSeconds()};
}

}  // namespace tidemark::metrics
