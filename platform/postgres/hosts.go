package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// prepareHosts sets the connect timeout. Of several hosts it requires the primary, unless the URL
// has target_session_attrs: a former primary that returns as a standby is often first.
func prepareHosts(config *pgconn.Config) {
	limit := connectTimeout
	if slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != config.Host || f.Port != config.Port // sslmode=prefer repeats a host
	}) {
		limit = hostTimeout
		if config.ValidateConnect == nil {
			config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
		}
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > limit {
		config.ConnectTimeout = limit
	}
}
