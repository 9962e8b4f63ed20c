package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// prepareHosts sets the connect timeout. Of several hosts it requires the primary, unless the URL
// has target_session_attrs: a former primary that returns as a standby is often first.
func prepareHosts(config *pgconn.Config) {
	limit := connectTimeout
	if len(splitHosts(config)) > 1 {
		limit = hostTimeout
		if config.ValidateConnect == nil {
			config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
		}
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > limit {
		config.ConnectTimeout = limit
	}
}

// splitHosts returns a configuration for each host of a URL, in order. With sslmode=prefer a host
// appears twice, with and without TLS.
func splitHosts(config *pgconn.Config) (hosts []*pgconn.Config) {
	for _, f := range waysOf(config) {
		last := len(hosts) - 1
		if last >= 0 && hosts[last].Host == f.Host && hosts[last].Port == f.Port {
			hosts[last].Fallbacks = append(hosts[last].Fallbacks, f)
			continue
		}
		one := config.Copy()
		useWays(one, []*pgconn.FallbackConfig{f})
		hosts = append(hosts, one)
	}
	return hosts
}

// waysOf returns the connection attempts of pgx, in order.
func waysOf(config *pgconn.Config) []*pgconn.FallbackConfig {
	return append([]*pgconn.FallbackConfig{
		{Host: config.Host, Port: config.Port, TLSConfig: config.TLSConfig},
	}, config.Fallbacks...)
}

func useWays(config *pgconn.Config, ways []*pgconn.FallbackConfig) {
	config.Host = ways[0].Host
	config.Port = ways[0].Port
	config.TLSConfig = ways[0].TLSConfig
	config.Fallbacks = slices.Clone(ways[1:])
}

// tryLast puts the hosts for which last is true behind the others.
func tryLast(config *pgconn.Config, last func(host string, port uint16) bool) {
	ways := waysOf(config)
	slices.SortStableFunc(ways, func(a, b *pgconn.FallbackConfig) int {
		return order(last(a.Host, a.Port)) - order(last(b.Host, b.Port))
	})
	useWays(config, ways)
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}
