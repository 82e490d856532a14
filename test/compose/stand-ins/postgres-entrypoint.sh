#!/bin/sh
# As the published image starts: makes a cluster where there is none, then becomes the server. Root hands over to the user postgres.
set -eu
if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres /var/lib/postgresql /var/run/postgresql
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0"
fi
PGDATA=/var/lib/postgresql/18/docker
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  [ -n "${POSTGRES_PASSWORD:-}" ] || { echo 'POSTGRES_PASSWORD is not set' >&2; exit 1; }
  printf '%s\n' "$POSTGRES_PASSWORD" > /tmp/password
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=/tmp/password
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  database=${POSTGRES_DB:-$POSTGRES_USER}
  echo "CREATE DATABASE \"$database\"" | postgres --single -D "$PGDATA" postgres
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
