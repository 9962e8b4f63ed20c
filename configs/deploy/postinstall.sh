#!/bin/sh
# Creates the service's user and loads the unit, after the installation. It does not start the
# service, which needs settings first.
set -e
getent passwd dg >/dev/null || useradd --system --user-group --home-dir /var/lib/dg --no-create-home --shell /usr/sbin/nologin dg
if [ -e /etc/dg/dg.env ]; then chgrp dg /etc/dg/dg.env; fi # may be missing: dpkg does not restore a deleted file
[ -d /run/systemd/system ] && systemctl daemon-reload
exit 0
