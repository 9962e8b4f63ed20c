#!/bin/sh
# Stops the service before a removal, but not before an update. Data and settings stay.
set -e
case "$1" in
remove | 0) [ -d /run/systemd/system ] && systemctl disable --now dg.service ;;
esac
exit 0
