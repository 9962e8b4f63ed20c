#!/bin/sh
# Installs Debian's Chromium for the tests of the screens, as root with apt, if there is none. Otherwise it says what to
# do, and the tests decide.
set -eu

for name in "${DG_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable chrome \
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
  if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "No Chromium is installed, so the tests of the screens cannot run. Install the package chromium, or name a browser in DG_CHROMIUM." >&2
  exit 0
fi
echo "Installing Chromium for the tests of the screens."
export DEBIAN_FRONTEND=noninteractive
apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium >/dev/null ||
  echo "Chromium could not be installed, so the tests of the screens cannot run." >&2
