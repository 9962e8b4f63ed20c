#!/bin/sh
# After the installation: creates the service's user and loads the unit. It does not start the service, which needs settings.
set -e
getent passwd dg >/dev/null || useradd --system --user-group --home-dir /var/lib/dg --no-create-home --shell /usr/sbin/nologin dg
chgrp dg /etc/dg/dg.env
[ -d /run/systemd/system ] && systemctl daemon-reload
exit 0
