// Every metric's name, in one list. kube-apiserver's and etcd's names stand where the meaning is the
// same; `tidemark_` otherwise.
//
// Thread-safety: immutable.
// Source:        kube-apiserver 1.36's and etcd 3.6's own /metrics.
#ifndef TIDEMARK_METRICS_NAMES_H_
#define TIDEMARK_METRICS_NAMES_H_

#include "absl/strings/string_view.h"

namespace tidemark::metrics::names {

// The process.
inline constexpr absl::string_view kProcessCpuSeconds = "process_cpu_seconds_total";
inline constexpr absl::string_view kProcessResidentBytes = "process_resident_memory_bytes";
inline constexpr absl::string_view kProcessOpenFiles = "process_open_fds";
inline constexpr absl::string_view kProcessStartTime = "process_start_time_seconds";

// storeclient/
inline constexpr absl::string_view kEtcdRequestDuration = "etcd_request_duration_seconds";
inline constexpr absl::string_view kEtcdRequests = "etcd_requests_total";
inline constexpr absl::string_view kEtcdRequestErrors = "etcd_request_errors_total";
inline constexpr absl::string_view kProgressRequests = "tidemark_progress_requests_total";
inline constexpr absl::string_view kProgressNotifications = "tidemark_progress_notifications_total";
inline constexpr absl::string_view kStreamBreaks = "tidemark_watch_stream_breaks_total";
inline constexpr absl::string_view kWatchResumes = "tidemark_watch_resumes_total";
inline constexpr absl::string_view kRelists = "tidemark_relists_total";
inline constexpr absl::string_view kEndpointChanges = "tidemark_endpoint_changes_total";
inline constexpr absl::string_view kStoreBytesReceived = "tidemark_store_received_bytes_total";
inline constexpr absl::string_view kEndpointsRefused = "tidemark_endpoints_refused";

// cache/, one per mirror
inline constexpr absl::string_view kEventsReceived = "apiserver_watch_cache_events_received_total";
inline constexpr absl::string_view kEventsDispatched = "apiserver_watch_cache_events_dispatched_total";
inline constexpr absl::string_view kInitEvents = "apiserver_init_events_total";
inline constexpr absl::string_view kCacheRevision = "apiserver_watch_cache_resource_version";
inline constexpr absl::string_view kInitializations = "apiserver_watch_cache_initializations_total";
inline constexpr absl::string_view kInitializationErrors = "apiserver_watch_cache_initialization_errors_total";
inline constexpr absl::string_view kInitializationDuration = "apiserver_watch_cache_initialization_duration_seconds";
inline constexpr absl::string_view kReadWait = "apiserver_watch_cache_read_wait_seconds";
inline constexpr absl::string_view kConsistentReads = "apiserver_watch_cache_consistent_read_total";
inline constexpr absl::string_view kTerminatedWatchers = "apiserver_terminated_watchers_total";
inline constexpr absl::string_view kResourceObjects = "apiserver_resource_objects";
inline constexpr absl::string_view kDecodeErrors = "apiserver_storage_decode_errors_total";
inline constexpr absl::string_view kStrayKeys = "tidemark_stray_keys_total";
inline constexpr absl::string_view kListsServed = "tidemark_lists_total";
inline constexpr absl::string_view kListEvaluatedObjects = "apiserver_storage_list_evaluated_objects_total";
inline constexpr absl::string_view kListReturnedObjects = "apiserver_storage_list_returned_objects_total";
inline constexpr absl::string_view kObjectBytes = "tidemark_object_bytes";
inline constexpr absl::string_view kHistoryEvents = "tidemark_history_events";
inline constexpr absl::string_view kHistoryBytes = "tidemark_history_bytes";
inline constexpr absl::string_view kHistoryOldestRevision = "tidemark_history_oldest_revision";
inline constexpr absl::string_view kSnapshotsPinned = "tidemark_snapshots_pinned";
inline constexpr absl::string_view kWatchers = "tidemark_watchers";
inline constexpr absl::string_view kWatcherWakes = "tidemark_watcher_wakes_total";

// cache/, the one coalescer of all mirrors
inline constexpr absl::string_view kRevisionReads = "tidemark_revision_reads_total";
inline constexpr absl::string_view kRevisionReadErrors = "tidemark_revision_read_errors_total";
inline constexpr absl::string_view kRevisionReadDuration = "tidemark_revision_read_duration_seconds";
inline constexpr absl::string_view kConsistentReaders = "tidemark_consistent_readers_total";
inline constexpr absl::string_view kWaitingReads = "tidemark_waiting_reads";

// net/
inline constexpr absl::string_view kConnections = "tidemark_http_connections";
inline constexpr absl::string_view kStreams = "tidemark_http_waiting_streams";
inline constexpr absl::string_view kConnectionsAccepted = "tidemark_http_connections_accepted_total";
inline constexpr absl::string_view kConnectionsClosed = "tidemark_http_connections_closed_total";
inline constexpr absl::string_view kTlsFailedHandshakes = "tidemark_http_tls_failed_handshakes_total";
inline constexpr absl::string_view kTlsReloads = "tidemark_http_tls_reloads_total";
inline constexpr absl::string_view kHttpRequests = "tidemark_http_requests_total";
inline constexpr absl::string_view kRefusedHeads = "tidemark_http_refused_heads_total";
inline constexpr absl::string_view kHttpUnsentBytes = "tidemark_http_unsent_bytes";
inline constexpr absl::string_view kHttpReceivedBytes = "tidemark_http_received_bytes_total";
inline constexpr absl::string_view kHttpSentBytes = "tidemark_http_sent_bytes_total";

// http/
inline constexpr absl::string_view kRequests = "apiserver_request_total";
inline constexpr absl::string_view kRequestDuration = "apiserver_request_duration_seconds";
inline constexpr absl::string_view kResponseSizes = "apiserver_response_sizes";
inline constexpr absl::string_view kLongrunning = "apiserver_longrunning_requests";
inline constexpr absl::string_view kWatchEvents = "apiserver_watch_events_total";
inline constexpr absl::string_view kInflight = "apiserver_current_inflight_requests";
inline constexpr absl::string_view kSlowAnswersWaiting = "tidemark_slow_answers_waiting";
inline constexpr absl::string_view kSlowAnswersRefused = "tidemark_slow_answers_refused_total";

// store/
inline constexpr absl::string_view kStorePuts = "etcd_mvcc_put_total";
inline constexpr absl::string_view kStoreRanges = "etcd_mvcc_range_total";
inline constexpr absl::string_view kStoreDeletes = "etcd_mvcc_delete_total";
inline constexpr absl::string_view kStoreTxns = "etcd_mvcc_txn_total";
inline constexpr absl::string_view kStoreRevision = "etcd_debugging_mvcc_current_revision";
inline constexpr absl::string_view kStoreCompactRevision = "etcd_debugging_mvcc_compact_revision";
inline constexpr absl::string_view kStoreKeys = "etcd_debugging_mvcc_keys_total";
inline constexpr absl::string_view kStoreEvents = "etcd_debugging_mvcc_events_total";
inline constexpr absl::string_view kStoreWatchStreams = "etcd_debugging_mvcc_watch_stream_total";
inline constexpr absl::string_view kStoreWatchers = "etcd_debugging_mvcc_watcher_total";
inline constexpr absl::string_view kStoreSlowWatchers = "etcd_debugging_mvcc_slow_watcher_total";
inline constexpr absl::string_view kStoreDbBytes = "etcd_mvcc_db_total_size_in_bytes";
inline constexpr absl::string_view kStoreDbBytesInUse = "etcd_mvcc_db_total_size_in_use_in_bytes";
inline constexpr absl::string_view kStoreQuotaBytes = "etcd_server_quota_backend_bytes";
inline constexpr absl::string_view kWalSyncDuration = "etcd_disk_wal_fsync_duration_seconds";
inline constexpr absl::string_view kWalBytes = "etcd_disk_wal_write_bytes_total";
inline constexpr absl::string_view kBackendCommitDuration = "etcd_disk_backend_commit_duration_seconds";
inline constexpr absl::string_view kProposalsCommitted = "etcd_server_proposals_committed_total";
inline constexpr absl::string_view kProposalsApplied = "etcd_server_proposals_applied_total";
inline constexpr absl::string_view kProposalsPending = "etcd_server_proposals_pending";
inline constexpr absl::string_view kProposalsFailed = "etcd_server_proposals_failed_total";
inline constexpr absl::string_view kHasLeader = "etcd_server_has_leader";
inline constexpr absl::string_view kIsLeader = "etcd_server_is_leader";
inline constexpr absl::string_view kLeases = "tidemark_store_leases";
inline constexpr absl::string_view kLeasesExpired = "etcd_debugging_server_lease_expired_total";

}  // namespace tidemark::metrics::names

#endif  // TIDEMARK_METRICS_NAMES_H_
