#!/bin/sh
# Starts a Redis server, or a sentinel that watches the servers: start-redis.sh server|sentinel.
#
# The sentinels know which server is the primary. If none of them answers, all pods start at once, and the first one becomes the
# primary; what another one had in memory is lost, which does no harm (docs/operations.md, "Redis").
#
# POD_NAME: the name of this pod. NODES: the host names of all pods, the first one first. REDISCLI_AUTH: the password, which
# redis-cli reads, too.
set -eu
first=${NODES%% *}
self=
for node in $NODES; do
  case $node in "$POD_NAME".*) self=$node ;; esac
done
[ -n "$self" ] || { echo "POD_NAME $POD_NAME is not in NODES $NODES" >&2; exit 1; }

primary=
for node in $NODES; do
  primary=$(timeout 2 redis-cli -h "$node" -p 26379 --no-auth-warning SENTINEL GET-MASTER-ADDR-BY-NAME fitness 2>/dev/null | head -n 1) || true
  case " $NODES " in *" $primary "*) [ -n "$primary" ] && break ;; esac
  primary=
done
primary=${primary:-$first}
umask 077

case $1 in
  server)
    {
      echo "requirepass $REDISCLI_AUTH"
      echo "masterauth $REDISCLI_AUTH"
      echo "replica-announce-ip $self"
      if [ "$self" != "$primary" ]; then echo "replicaof $primary 6379"; fi
    } > /data/redis.conf
    exec redis-server /data/redis.conf --port 6379 --dir /data --save '' --maxmemory 384mb
    ;;
  sentinel)
    {
      echo 'port 26379'
      echo "requirepass $REDISCLI_AUTH"
      echo "sentinel sentinel-pass $REDISCLI_AUTH"
      echo 'sentinel resolve-hostnames yes'
      echo 'sentinel announce-hostnames yes'
      echo "sentinel announce-ip $self"
      echo "sentinel monitor fitness $primary 6379 2"
      echo "sentinel auth-pass fitness $REDISCLI_AUTH"
      echo 'sentinel down-after-milliseconds fitness 5000'
      echo 'sentinel failover-timeout fitness 30000'
    } > /data/sentinel.conf
    exec redis-server /data/sentinel.conf --sentinel
    ;;
esac
