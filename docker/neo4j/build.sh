#!/bin/bash
# Builds an image of Neo4j Community from its published jars, without an image registry.
#
#   build.sh [TAG] [NEO4J_VERSION]     defaults: citehop-neo4j:VERSION, the version in pom.xml
#
# JDK_HOME names the JDK whose Java goes in (default: that of javac on the PATH).
# Needs Linux, a Docker engine, Maven, a JDK with jlink, and Debian's apt-get.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
version=${2:-$(sed -n 's|.*<neo4j.version>\(.*\)</neo4j.version>.*|\1|p' "$here/pom.xml")}
tag=${1:-citehop-neo4j:$version}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
home=$root/var/lib/neo4j

# What Neo4j's jars ask of Java, and charsets, name lookup and diagnosis; no compiler, no tools.
modules=java.se,jdk.attach,jdk.charsets,jdk.crypto.ec,jdk.jcmd,jdk.jfr,jdk.management
modules+=,jdk.management.agent,jdk.naming.dns,jdk.net,jdk.unsupported,jdk.zipfs
# A server draws nothing: these parts of java.desktop would need a dozen more C libraries.
drawing='lib(awt|fontmanager|freetype|javajpeg|jawt|jsound|lcms|mlib_image|splashscreen).*[.]so'

need() {
  for program in "$@"; do
    command -v "$program" > /dev/null || { echo "build.sh needs $program, which is not here" >&2; exit 1; }
  done
}

add_jars() {
  mkdir -p "$home"/{conf,plugins}
  mvn -q -B -Dstyle.color=never -f "$here/pom.xml" "-Dneo4j.version=$version" dependency:copy-dependencies \
    -DincludeScope=runtime "-DoutputDirectory=$home/lib" >&2
  rm -f "$home"/lib/netty-*-osx-*.jar "$home"/lib/netty-*-linux-"$other_architecture".jar
  unzip -p "$home/lib/neo4j-$version.jar" META-INF/services/org.neo4j.server.startup.EntryPoint \
    > "$home/main.class"
}

add_java() {
  local jdk=${JDK_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}
  mkdir -p "$root/opt"
  # Stripping needs objcopy, which not every machine has; without it the image is larger.
  jlink_to --strip-debug "$jdk" 2> /dev/null || { rm -rf "$root/opt/java"; jlink_to --no-man-pages "$jdk"; }
  find "$root/opt/java/lib" -regextype posix-extended -regex ".*/$drawing" -delete
  "$root/opt/java/bin/java" -Xshare:dump > /dev/null
  java_major=$("$root/opt/java/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
}

jlink_to() {
  "$2/bin/jlink" --add-modules "$modules" "$1" --no-header-files --no-man-pages --output "$root/opt/java"
}

# The dynamic build, which shares the C libraries added below.
add_busybox() {
  (cd "$work" && apt-get -qq download busybox 2> /dev/null && dpkg-deb -x busybox_*.deb busybox)
  mkdir -p "$root/bin"
  cp "$work/busybox/bin/busybox" "$root/bin/busybox"
  local applet
  for applet in $("$root/bin/busybox" --list); do
    [ "$applet" = busybox ] || ln -sf busybox "$root/bin/$applet"
  done
}

# The C libraries that Java and busybox load, found by asking the loader, and name lookup, which it cannot see.
add_c_libraries() {
  local libraries lookup library
  libraries=$(find "$root/opt/java" "$root/bin/busybox" \( -name '*.so' -o -path '*/bin/java' -o -name busybox \) -exec ldd {} \; 2> /dev/null \
    | sed -nE 's/^\t(.* => )?(\/[^ ]*) \(0x.*/\2/p' | grep -v "^$root" | sort -u)
  lookup=$(ldconfig -p | grep -oE '/[^ ]*/lib(nss_files|nss_dns|resolv)[.]so[.]2$' || true)
  for library in $libraries $lookup; do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
}

add_programs() {
  mkdir -p "$root"/{etc,tmp,proc,sys,dev,root,data,logs,import,usr/local/bin}
  chmod 1777 "$root/tmp"
  printf 'root:x:0:0:root:/root:/bin/sh\nneo4j:x:7474:7474::/var/lib/neo4j:/bin/sh\n' > "$root/etc/passwd"
  printf 'root:x:0:\nneo4j:x:7474:\n' > "$root/etc/group"
  echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
  install -m 644 "$here/neo4j.conf" "$home/conf/"
  install -m 644 "$here/settings.awk" "$home/"
  install -m 755 "$here/entrypoint.sh" "$root/usr/local/bin/docker-entrypoint"
  install -m 755 "$here/healthcheck.sh" "$root/usr/local/bin/healthcheck"
  install -m 755 "$here/neo4j-admin.sh" "$root/usr/local/bin/neo4j-admin"
  {
    printf -- '--add-opens=java.base/%s=ALL-UNNAMED\n' java.nio java.io sun.nio.ch java.util.concurrent
    printf -- '%s\n' -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError -Dlog4j2.disable.jmx=true \
      -Dio.netty.tryReflectionSetAccessible=true
    if [ "$java_major" -ge 24 ]; then
      printf -- '%s\n' --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
    fi
  } > "$home/java.options"
  case $version in
    5.*) ;;
    # Calendar versions otherwise announce themselves on the container's networks.
    *) printf '%s=false\n' server.fleet_discovery.enabled dbms.fleet_manager.enabled >> "$home/conf/neo4j.conf" ;;
  esac
}

# Tells an image of this recipe from one of another; the tests compare it before they build again.
source_digest() {
  (LC_ALL=C && cd "$here" && cat ./* | sha256sum | cut -d ' ' -f 1)
}

pack() {
  tar -C "$root" -cf "$work/rootfs.tar" --owner=0 --group=0 --exclude=./data --exclude=./logs .
  tar -C "$root" -rf "$work/rootfs.tar" --owner=7474 --group=7474 ./data ./logs
  mkdir "$work/context"
  mv "$work/rootfs.tar" "$work/context/"
  cp "$here/Dockerfile" "$work/context/"
  # The classic builder is in every engine; it only says that a newer one exists.
  DOCKER_BUILDKIT=0 docker build -q -t "$tag" --label "citehop.neo4j.version=$version" \
    --label "citehop.source=$(source_digest)" "$work/context" 2> "$work/build.log" \
    || { cat "$work/build.log" >&2; exit 1; }
}

need docker mvn javac unzip tar ldd apt-get dpkg-deb
case $(uname -m) in
  x86_64) other_architecture=aarch_64 ;;
  *) other_architecture=x86_64 ;;
esac
add_jars
add_java
add_busybox
add_c_libraries
add_programs
pack > /dev/null
echo "$tag"
