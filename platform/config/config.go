// Package config holds the settings, which are flags, environment variables and lines of a file. `dg --help` is the reference.
// A setting tagged secret can be in a file of its own.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Database is where the data is.
type Database struct {
	DatabaseURL        string `name:"database-url" env:"DG_DATABASE_URL" placeholder:"URL" secret:"" help:"PostgreSQL 15 or later, as the serving role. Empty: the embedded server."`
	MigrateDatabaseURL string `name:"migrate-database-url" env:"DG_MIGRATE_DATABASE_URL" placeholder:"URL" secret:"" help:"The same database, as the role that owns the tables. Empty: the database URL. The embedded server has both roles."`
	DataDir            string `name:"data-dir" env:"DG_DATA_DIR" default:".data" help:"Folder of the embedded server."`
}

// Embedded reports whether the embedded server is used.
func (d Database) Embedded() bool { return d.DatabaseURL == "" }

// Check returns what is wrong with the settings.
func (d Database) Check() error {
	if d.Embedded() && d.MigrateDatabaseURL != "" {
		return errors.New("DG_MIGRATE_DATABASE_URL is set and DG_DATABASE_URL is not: set both, or neither for the embedded server")
	}
	return nil
}

// Address is where the program is reached.
type Address struct {
	Addr    string `env:"DG_ADDR" default:"127.0.0.1:8080" help:"Address to serve on."`
	BaseURL string `name:"base-url" env:"DG_BASE_URL" placeholder:"URL" help:"Public URL: https, or http on a loopback host. Empty: the address."`
}

// Server configures dg serve.
type Server struct {
	Address
	OpsAddr        string   `name:"ops-addr" env:"DG_OPS_ADDR" default:"127.0.0.1:8081" help:"Address of /metrics and /debug/pprof. Keep it private. It answers requests for its own host and loopback hosts only."`
	TrustedProxies []string `name:"trusted-proxies" env:"DG_TRUSTED_PROXIES" placeholder:"CIDR" help:"Trusted proxies, whose X-Forwarded-For names the client, separated by commas. Without it all clients behind a proxy share one limit of 20 wrong passwords in ten minutes."`
}

// Pools bound the connections of an instance to the database. With the 8 for exports and the one for re-checks they are 31.
type Pools struct {
	PoolAuth  int32 `name:"pool-auth" env:"DG_POOL_AUTH" default:"11" help:"Connections for authentication, sign-in and the audit log. An instance opens at most these, those of DG_POOL_READS, and 9 for exports: 31 by default."`
	PoolReads int32 `name:"pool-reads" env:"DG_POOL_READS" default:"11" help:"Connections for forks and statistics."`
}

// minPool leaves connections for requests beside background work.
const minPool = 4

// Check returns what is wrong with the settings.
func (p Pools) Check() error {
	for name, size := range map[string]int32{"DG_POOL_AUTH": p.PoolAuth, "DG_POOL_READS": p.PoolReads} {
		if size < minPool {
			return fmt.Errorf("%s is %d: set it to %d or more", name, size, minPool)
		}
	}
	return nil
}

// Base returns the base URL without a trailing slash. It is https, or http on a loopback host: the session cookie is Secure.
func (a Address) Base() (string, error) {
	if a.BaseURL == "" {
		return baseOfAddr(a.Addr)
	}
	u, err := url.Parse(a.BaseURL)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(a.BaseURL, "?#") {
		return "", errors.New("DG_BASE_URL is not a URL such as https://dg.example.org")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return "", errors.New("DG_BASE_URL must be https, or http on a loopback host such as http://127.0.0.1:8080")
	}
	return strings.TrimRight(a.BaseURL, "/"), nil
}

// baseOfAddr is the base URL of a server without a proxy.
func baseOfAddr(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("DG_ADDR is not an address such as 127.0.0.1:8080: %w", err)
	}
	if !loopback(host) {
		return "", fmt.Errorf("DG_ADDR %s is reachable from outside: set DG_BASE_URL to its public https address", addr)
	}
	return "http://" + net.JoinHostPort(host, port), nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Proxies returns the trusted networks.
func (s Server) Proxies() ([]netip.Prefix, error) {
	var prefixes []netip.Prefix
	for _, text := range s.TrustedProxies {
		p, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("DG_TRUSTED_PROXIES: %q is not a network such as 10.0.0.0/8", text)
		}
		prefixes = append(prefixes, p)
	}
	return prefixes, nil
}
