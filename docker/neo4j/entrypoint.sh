#!/bin/sh
# Starts Neo4j as the official image does: NEO4J_AUTH (or the file NEO4J_AUTH_PATH) gives the first
# password, and every NEO4J_<setting> becomes a line of neo4j.conf. Any other command is run as it is.
set -eu

fail() {
  echo "$1" >&2
  exit "${2:-1}"
}

# Written anew at each start and outside the image's own files: a variable that is gone leaves
# nothing behind, and any user id, also on a read-only file system with /tmp, can do it.
write_settings() {
  export NEO4J_CONF=/tmp/neo4j-conf
  rm -rf "$NEO4J_CONF" /tmp/health-password-refused
  mkdir -m 700 "$NEO4J_CONF"
  awk -f "$NEO4J_HOME/settings.awk" "$NEO4J_HOME/conf/neo4j.conf" > "$NEO4J_CONF/neo4j.conf"
}

setting() {
  sed -n "s/^$(printf %s "$1" | sed 's/[.]/[.]/g')=//p" "$NEO4J_CONF/neo4j.conf" | tail -n 1
}

need_writable() {
  [ -w "$1" ] || fail "$1 cannot be written by user $(id -u). Use a volume, give the folder to user 7474, or start the container with --user and the folder's owner."
}

apply_auth() {
  if [ -n "${NEO4J_AUTH_PATH:-}" ]; then
    [ -r "$NEO4J_AUTH_PATH" ] || fail "NEO4J_AUTH_PATH=$NEO4J_AUTH_PATH cannot be read."
    NEO4J_AUTH=$(cat "$NEO4J_AUTH_PATH")
  fi
  case "${NEO4J_AUTH:-}" in
    '') ;; # Neo4j's own beginning: neo4j/neo4j, which must be changed before the first query
    none) echo 'dbms.security.auth_enabled=false' >> "$NEO4J_CONF/neo4j.conf" ;;
    neo4j/?*) apply_password "${NEO4J_AUTH#neo4j/}" ;;
    *) fail 'NEO4J_AUTH has to be neo4j/PASSWORD, neo4j/PASSWORD/true (to be changed at first use) or none.' ;;
  esac
}

apply_password() {
  password=$1
  must_change=false
  case "$password" in
    */true) password=${password%/true} must_change=true ;;
    */false) password=${password%/false} ;;
  esac
  [ "$password" != neo4j ] || fail "The password in NEO4J_AUTH cannot be 'neo4j', which is the default."
  # It is a first password only: data that has users keeps the passwords that they have.
  [ ! -e /data/databases/system ] || return 0
  neo4j-admin dbms set-initial-password "--require-password-change=$must_change" -- "$password" \
    || fail 'The first password of NEO4J_AUTH could not be set; the reason stands above.' 70
}

if [ "${1:-neo4j}" != neo4j ]; then
  exec "$@"
fi
need_writable /data
need_writable /logs
write_settings
apply_auth
# shellcheck disable=SC2046 # the options are words without blanks
exec java "-Xms$(setting server.memory.heap.initial_size)" "-Xmx$(setting server.memory.heap.max_size)" \
  $(cat "$NEO4J_HOME/java.options") $(setting server.jvm.additional) \
  -cp "$NEO4J_HOME/lib/*:$NEO4J_HOME/plugins/*" "$(cat "$NEO4J_HOME/main.class")" \
  "--home-dir=$NEO4J_HOME" "--config-dir=$NEO4J_CONF" --console-mode
