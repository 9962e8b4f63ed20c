#!/bin/sh
# After the installation: the service's user, and the unit. The service is not started: it wants its settings first.
set -e
getent passwd dg >/dev/null || useradd --system --user-group --home-dir /var/lib/dg --no-create-home --shell /usr/sbin/nologin dg
chgrp dg /etc/dg/dg.env
[ -d /run/systemd/system ] && systemctl daemon-reload
exit 0
