# What the prove scripts share; sourced, not run. TIDEMARK_PEERS (by default ~/.cache/tidemark-peers) holds etcd, etcdctl, kube-apiserver
# and yardstick; CONTRIBUTING.md says where they come from. PROVE_DIR keeps data and logs; without it a temporary folder does, which is
# removed when all went well.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
peers=${TIDEMARK_PEERS:-$HOME/.cache/tidemark-peers}
tidemark=${TIDEMARK:-$root/build/release/tidemark}
started=()
stop_seconds_max=60  # a store with 300,000 objects ends in a few

for tool in etcd etcdctl kube-apiserver yardstick; do
  [ -x "$peers/$tool" ] || { echo "$tool is not in $peers: see CONTRIBUTING.md, TIDEMARK_PEERS" >&2; exit 2; }
done
[ -x "$tidemark" ] || { echo "$tidemark is missing: ./dev build first" >&2; exit 2; }
work=${PROVE_DIR:-$(mktemp -d "${TMPDIR:-/var/tmp}/tidemark-prove.XXXXXX")}
mkdir -p "$work"

# start NAME COMMAND...: in the background, its log in $work/NAME.log, its pid in $NAME_pid.
start() {
  local name=$1
  shift
  setsid "$@" > "$work/$name.log" 2>&1 < /dev/null &
  printf -v "${name}_pid" %s $!
  started+=($!)
}
# gone PID: waits until a process has ended; one that takes too long is killed.
gone() {
  local limit=$((SECONDS + stop_seconds_max))
  while kill -0 "$1" 2> /dev/null; do
    if [ $SECONDS -ge $limit ]; then
      echo "process $1 did not end in $stop_seconds_max s: killed" >&2
      kill -9 "$1" 2> /dev/null || true
      return 0  # a bare return in a trap is that of what came before it
    fi
    sleep 0.05
  done
}
# stop PID: ends one process that this script started, and waits for it.
stop() {
  kill "$1" 2> /dev/null || return 0
  gone "$1"
}
finish() {
  local code=$? i
  # The last one first: a kube-apiserver whose etcd has gone does not end.
  for ((i = ${#started[@]} - 1; i >= 0; i--)); do stop "${started[i]}"; done
  [ -z "${PROVE_DIR:-}" ] || return 0
  if [ $code = 0 ]; then rm -rf "$work"; else echo "data and logs: $work" >&2; fi
}
trap finish EXIT
trap 'exit 143' TERM INT
# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
  local limit=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $limit ] || { echo "gave up waiting for: $*" >&2; return 1; }
    sleep 0.1
  done
}
# still_runs NAME: else what answered on its port is another program.
still_runs() {
  local pid=${1}_pid
  kill -0 "${!pid}" 2> /dev/null || { echo "$1 has ended:" >&2; tail -n 5 "$work/$1.log" >&2; return 1; }
}
start_etcd() { # NAME PORT DATA_DIR
  start "$1" "${ETCD:-$peers/etcd}" --name default --data-dir "$3" --listen-client-urls "http://127.0.0.1:$2" --advertise-client-urls "http://127.0.0.1:$2" \
    --listen-peer-urls "http://127.0.0.1:$(($2 + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$(($2 + 1))" \
    --initial-cluster "default=http://127.0.0.1:$(($2 + 1))" --quota-backend-bytes 8589934592
  wait_for 30 "$peers/etcdctl" --endpoints "http://127.0.0.1:$2" endpoint health
  still_runs "$1"
}
# kube-apiserver without its own throttles: they would measure the limit, not the work. JSON is what Tidemark reads today.
start_apiserver() { # NAME PORT ETCD_PORT FLAGS...
  local name=$1 port=$2 etcd_port=$3
  shift 3
  [ -f "$work/sa.key" ] || { openssl genrsa -out "$work/sa.key" 2048 && openssl rsa -in "$work/sa.key" -pubout -out "$work/sa.pub"; } 2> /dev/null
  echo 'admintoken,admin,admin,system:masters' > "$work/tokens.csv"
  start "$name" "$peers/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --etcd-compaction-interval 0 --secure-port "$port" \
    --bind-address 127.0.0.1 --cert-dir "$work/certs-$port" --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$work/sa.pub" --service-account-signing-key-file "$work/sa.key" --token-auth-file "$work/tokens.csv" \
    --authorization-mode AlwaysAllow --service-cluster-ip-range 10.0.0.0/24 --disable-admission-plugins ServiceAccount \
    --storage-media-type=application/json --max-requests-inflight=0 --max-mutating-requests-inflight=0 --enable-priority-and-fairness=false "$@"
  wait_for 180 curl -sfk -H 'Authorization: Bearer admintoken' "https://127.0.0.1:$port/readyz"
  still_runs "$name"
}
start_cache() { # NAME PORT ETCD_SERVERS FLAGS...
  local name=$1 port=$2 servers=$3
  shift 3
  start "$name" "$tidemark" cache --etcd-servers "$servers" --listen-http "127.0.0.1:$port" "$@"
  wait_for 120 curl -sf "http://127.0.0.1:$port/readyz"
  still_runs "$name"
}
# figure FILE NAME: the first figure of that name in a yardstick result; nothing when there is none.
figure() {
  [ -f "$1" ] || return 0
  python3 - "$1" "$2" <<'P'
import json, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    for metric in row["metrics"] or []:
        if metric["name"] == sys.argv[2]:
            print(metric["value"])
            sys.exit()
P
}
