# Reads neo4j.conf and prints it with the environment's NEO4J_… settings put over it.
# NEO4J_server_memory_heap_max__size=2g becomes server.memory.heap.max_size=2g: one underscore is a
# dot, two are an underscore. Only names that go on in lower case are settings, so that NEO4J_AUTH,
# NEO4J_HOME and the like are not. The values never pass through a shell.
function setting(variable,    name) {
  name = substr(variable, length("NEO4J_") + 1)
  gsub(/_/, ".", name)
  gsub(/\.\./, "_", name)
  return name
}
BEGIN {
  for (variable in ENVIRON) {
    if (variable !~ /^NEO4J_[a-z]/ || ENVIRON[variable] == "") continue
    if (ENVIRON[variable] ~ /\n/) {
      print "The value of " variable " has more than one line; a setting is one line." > "/dev/stderr"
      exit 1
    }
    given[setting(variable)] = ENVIRON[variable]
  }
}
{
  name = $0
  sub(/=.*/, "", name)
  if (!(name in given)) print
}
END {
  for (name in given) print name "=" given[name]
}
