// Package config holds the settings: flags, environment variables and lines of a file. A setting
// tagged secret can be in a file of its own.
package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"dg/platform/netaddr"
)

// Database says which PostgreSQL has the data, and by which roles dg reaches it.
type Database struct {
	DatabaseURL        string `env:"DG_DATABASE_URL" placeholder:"URL" secret:"" help:"${url}"`
	DatabasePooler     string `env:"DG_DATABASE_POOLER" enum:"none,transaction,prepared" default:"none" help:"${pooler}"`
	MigrateDatabaseURL string `env:"DG_MIGRATE_DATABASE_URL" placeholder:"URL" secret:"" help:"${migrate}"`
	ReplicaURLs        string `name:"database-replica-urls" env:"DG_DATABASE_REPLICA_URLS" placeholder:"URLS" secret:"" help:"${replicas}"`
	DataDir            string `env:"DG_DATA_DIR" default:".data" help:"Folder of the embedded server."`
}

// Pooled reports whether the database URL leads to a pooler in transaction mode.
func (d Database) Pooled() bool {
	return d.DatabasePooler == "transaction" || d.DatabasePooler == "prepared"
}

// Embedded reports whether dg runs its own PostgreSQL: no database URL is set.
func (d Database) Embedded() bool { return d.DatabaseURL == "" }

// Check returns the first fault. No error quotes a URL, which may contain a password.
func (d Database) Check() error {
	const alone = "%s is set and DG_DATABASE_URL is not: set both, or neither for the embedded server"
	switch {
	case d.Embedded() && d.MigrateDatabaseURL != "":
		return fmt.Errorf(alone, "DG_MIGRATE_DATABASE_URL")
	case d.Embedded() && d.ReplicaURLs != "":
		return fmt.Errorf(alone, "DG_DATABASE_REPLICA_URLS")
	case d.Pooled() && d.MigrateDatabaseURL == "":
		return errors.New("DG_DATABASE_POOLER is set and DG_MIGRATE_DATABASE_URL is not: set it to " +
			"PostgreSQL itself, where migrations and imports have a session of their own")
	case len(d.Replicas()) > maxReplicas ||
		slices.ContainsFunc(d.Replicas(), func(u string) bool { return !isURL(u) }):
		return errors.New("DG_DATABASE_REPLICA_URLS is not a list of at most 8 URLs such as " +
			"postgres://user:password@host:5432/database, separated by spaces")
	}
	return nil
}

// maxReplicas bounds connections and start-up time: each check of a replica takes up to a second.
const maxReplicas = 8

// Replicas returns the URLs, which white space separates. A comma separates the hosts within a URL.
func (d Database) Replicas() []string { return strings.Fields(d.ReplicaURLs) }

// isURL also rejects two URLs without a space between them.
func isURL(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	return (scheme == "postgres" || scheme == "postgresql") && !strings.Contains(rest, "://")
}

// Address says where dg listens, and under which URL users reach it.
type Address struct {
	Addr    string `env:"DG_ADDR" default:"127.0.0.1:8080" help:"Address to serve on."`
	BaseURL string `env:"DG_BASE_URL" placeholder:"URL" help:"${base}"`
}

// Base returns the base URL without a trailing slash. The session cookie is Secure, which requires
// https; most browsers also accept http on loopback hosts.
func (a Address) Base() (string, error) {
	if a.BaseURL == "" {
		host, _, err := net.SplitHostPort(a.Addr)
		switch {
		case err != nil:
			return "", fmt.Errorf("DG_ADDR is not an address such as 127.0.0.1:8080: %s", a.Addr)
		case !netaddr.IsLoopback(host):
			return "", fmt.Errorf("DG_ADDR %s is reachable from outside: set DG_BASE_URL to its "+
				"public https address", a.Addr)
		}
		return "http://" + a.Addr, nil
	}
	u, err := url.Parse(a.BaseURL)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || strings.Trim(u.Path, "/") != "" ||
		strings.ContainsAny(a.BaseURL, "?#"):
		return "", errors.New(
			"DG_BASE_URL is not a URL such as https://dg.example.org: scheme, host and port only")
	case u.Scheme != "https" && (u.Scheme != "http" || !netaddr.IsLoopback(u.Hostname())):
		return "", errors.New("DG_BASE_URL must be https, or http on a loopback host such as " +
			"http://127.0.0.1:8080")
	}
	return strings.TrimRight(a.BaseURL, "/"), nil
}

// LoopbackOnly reports whether the address, and the base URL if set, have loopback hosts.
func (a Address) LoopbackOnly() bool {
	host, _, _ := net.SplitHostPort(a.Addr)
	public, _ := url.Parse(a.BaseURL)
	return netaddr.IsLoopback(host) &&
		(a.BaseURL == "" || public != nil && netaddr.IsLoopback(public.Hostname()))
}

// Server configures dg serve.
type Server struct {
	Address
	OpsAddr        string         `env:"DG_OPS_ADDR" default:"127.0.0.1:8081" help:"${ops}"`
	TrustedProxies []netip.Prefix `env:"DG_TRUSTED_PROXIES" placeholder:"CIDR" help:"${proxies}"`
	ShutdownDelay  time.Duration  `env:"DG_SHUTDOWN_DELAY" default:"2s" help:"${delay}"`
}

// Serve has the settings that dg serve and dg doctor share.
type Serve struct {
	Database
	Server
	Secrets
	// The default of 12, and 19 in the other pools, make 31 connections to the primary.
	PoolRequests int32 `env:"DG_POOL_REQUESTS" default:"12" help:"${requests}"`
}

// Check joins the faults, one a line: only the first of the database's settings.
func (s Serve) Check() error {
	_, badBase := s.Base()
	_, _, badKeys := s.Keys()
	faults := []error{s.Database.Check(), badBase, badKeys}
	for _, network := range s.TrustedProxies {
		if network.Bits() == 0 {
			faults = append(faults, fmt.Errorf("DG_TRUSTED_PROXIES has %s: any client can name any "+
				"address as its own. Set it to the addresses of your proxies only", network))
		}
	}
	if s.PoolRequests < 4 {
		faults = append(faults,
			fmt.Errorf("DG_POOL_REQUESTS is %d: set it to 4 or more", s.PoolRequests))
	}
	if s.ShutdownDelay < 0 || s.ShutdownDelay > 30*time.Second {
		faults = append(faults,
			fmt.Errorf("DG_SHUTDOWN_DELAY is %s: set it to 0s to 30s", s.ShutdownDelay))
	}
	return errors.Join(faults...)
}
