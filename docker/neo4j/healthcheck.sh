#!/bin/sh
# Healthy is a server whose database answers a query, asked over HTTP on loopback.
#
# Once the password from NEO4J_AUTH is refused (it was changed, or is still to be) it is not sent
# again: wrong passwords are rationed, and a health check must not lock the user out. From then on
# an answer that asks for credentials counts.
set -eu

conf=/tmp/neo4j-conf/neo4j.conf # what the entry point wrote
[ -r "$conf" ] || exit 1

port() {
  found=$(sed -n "s/^server[.]$1[.]listen_address=.*:\([0-9]*\)\$/\1/p" "$conf" | tail -n 1)
  echo "${found:-$2}"
}

query() {
  timeout 5 wget -q -S -O /dev/null --header 'Content-Type: application/json' "$@" \
    --post-data '{"statement": "RETURN 1"}' "http://127.0.0.1:$(port http 7474)/db/neo4j/query/v2" 2>&1
}

handshake() { # four offers of a Bolt version; any version but 0 is an answer
  answer=$(printf '\140\140\260\027\000\010\010\005\000\000\004\004\000\000\000\004\000\000\000\003' \
    | timeout 5 nc 127.0.0.1 "$(port bolt 7687)" | head -c 4 | od -An -tx1)
  [ -n "$answer" ] && [ "$answer" != ' 00 00 00 00' ]
}

if grep -q '^server[.]http[.]enabled=false' "$conf"; then
  handshake
  exit
fi

auth=${NEO4J_AUTH:-}
[ -z "${NEO4J_AUTH_PATH:-}" ] || auth=$(cat "$NEO4J_AUTH_PATH")
auth=${auth%/true}
auth=${auth%/false}
refused=/tmp/health-password-refused
case "$auth" in
  neo4j/*)
    if [ ! -e "$refused" ]; then
      token=$(printf %s "neo4j:${auth#neo4j/}" | base64 -w 0)
      said=$(query --header "Authorization: Basic $token") && exit 0
      case "$said" in
        # 400 is the answer to a password that must be changed first.
        *' 400 '* | *' 401 '* | *' 403 '*) touch "$refused" ;;
        *) exit 1 ;;
      esac
    fi
    ;;
esac
said=$(query) && exit 0
case "$said" in
  *' 401 '*) exit 0 ;;
esac
exit 1
