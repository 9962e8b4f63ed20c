#!/bin/sh
# After the installation: creates the service's user and loads the unit. The service needs settings
# before it starts.
set -e
getent passwd dg >/dev/null || useradd --system --user-group --home-dir /var/lib/dg --no-create-home --shell /usr/sbin/nologin dg
if [ -e /etc/dg/dg.env ]; then chgrp dg /etc/dg/dg.env; fi # dpkg does not restore a deleted one
[ -d /run/systemd/system ] && systemctl daemon-reload
exit 0
