#!/bin/sh
# Neo4j's admin tool, as `docker exec … neo4j-admin …` and `docker run … neo4j-admin …` call it.
# shellcheck disable=SC2046 # the options are words without blanks
exec java "-Xmx${HEAP_SIZE:-512m}" -XX:TieredStopAtLevel=1 $(cat "$NEO4J_HOME/java.options") \
  -cp "$NEO4J_HOME/lib/*:$NEO4J_HOME/plugins/*" org.neo4j.cli.AdminTool "$@"
