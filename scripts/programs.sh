#!/bin/sh
# Installs missing programs of the tests, as root with apt: Debian's Chromium for the screens, and the proxies of
# configs/deploy. Without apt or root it says what to install and succeeds: the tests then fail or skip.
set -eu

missing=chromium
for name in "${DG_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable chrome \
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then missing=; fi
done
for name in nginx haproxy; do
  command -v "$name" >/dev/null 2>&1 || missing="$missing $name"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "These programs are not installed, so their tests cannot run: $missing. DG_CHROMIUM may name a browser." >&2
  exit 0
fi
echo "Installing for the tests: $missing."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update || true
# The headless shell renders as Chromium does, but faster.
if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  missing=$(echo "$missing" | sed 's/^chromium/chromium-headless-shell/')
fi
# shellcheck disable=SC2086 # a list
apt-get -qq install -y --no-install-recommends $missing >/dev/null ||
  echo "They could not be installed, so their tests cannot run." >&2
