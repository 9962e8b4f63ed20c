// Package config holds the settings: flags, environment variables and lines of a file. `dg --help`
// is the reference. A setting tagged secret can be in a file of its own. checks.go has the validate
// tags.
package config

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Database is where the data is.
type Database struct {
	DatabaseURL        string `name:"database-url" env:"DG_DATABASE_URL" placeholder:"URL" secret:"" help:"PostgreSQL 15 or later, as the serving role: postgres://user:password@host:5432/database. Several hosts are separated by commas; dg uses the primary. Empty: the embedded server."`
	DatabasePooler     string `name:"database-pooler" env:"DG_DATABASE_POOLER" enum:"none,transaction" default:"none" help:"Set it to transaction if the database URL leads to a pooler in transaction mode, such as PgBouncer with pool_mode=transaction."`
	MigrateDatabaseURL string `name:"migrate-database-url" env:"DG_MIGRATE_DATABASE_URL" validate:"excluded_without=DatabaseURL,required_if=DatabasePooler transaction" placeholder:"URL" secret:"" help:"The same database without a pooler, as the role that owns the tables. Empty: the database URL. The embedded server has both roles."`
	ReplicaURLs        string `name:"database-replica-urls" env:"DG_DATABASE_REPLICA_URLS" validate:"excluded_without=DatabaseURL,replica_urls" placeholder:"URLS" secret:"" help:"Hot standbys for reports, as the serving role: at most 8 URLs, separated by spaces or commas. A URL through a pooler in transaction mode ends in ?pooler=transaction. Empty: none."`
	DataDir            string `name:"data-dir" env:"DG_DATA_DIR" default:".data" help:"Folder of the embedded server."`
}

// Pooled reports whether the database URL leads to a pooler in transaction mode.
func (d Database) Pooled() bool { return d.DatabasePooler == "transaction" }

// Embedded reports whether the embedded server is used.
func (d Database) Embedded() bool { return d.DatabaseURL == "" }

// Check returns an error about the first invalid setting, or nil.
func (d Database) Check() error { return check(d) }

// AnyPooled reports whether the database URL or a replica's leads to one.
func (d Database) AnyPooled() bool {
	return d.Pooled() || strings.Contains(d.ReplicaURLs, "pooler=transaction")
}

// maxReplicas bounds the connections of an instance, and what checks of replicas cost the primary.
const maxReplicas = 8

var replicaURL = regexp.MustCompile(`(?i)(?:^|[\s,])postgres(?:ql)?://`)

// Replicas returns the URLs of the replicas. A comma within one separates its hosts. ok is false
// where the setting is not a list of URLs.
func (d Database) Replicas() (urls []string, ok bool) { return splitURLs(d.ReplicaURLs) }

func splitURLs(list string) (urls []string, ok bool) {
	begins := replicaURL.FindAllStringIndex(list, -1)
	for i, begin := range begins {
		end := len(list)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		urls = append(urls, strings.Trim(list[begin[0]:end], ", \t\r\n"))
	}
	noURL := len(begins) == 0 || strings.Trim(list[:begins[0][0]], ", \t\r\n") != ""
	ok = !noURL && len(urls) <= maxReplicas &&
		!slices.ContainsFunc(urls, func(u string) bool { return strings.ContainsAny(u, " \t\r\n") })
	return urls, ok
}

// Address is where the program is reached.
type Address struct {
	Addr    string `env:"DG_ADDR" validate:"listenable,local" default:"127.0.0.1:8080" help:"Address to serve on."`
	BaseURL string `name:"base-url" env:"DG_BASE_URL" validate:"omitempty,base_url,confidential" placeholder:"URL" help:"Public URL: https, or http on a loopback host. Empty: the address."`
}

// Server configures dg serve.
type Server struct {
	Address        `validate:"-"` // Base checks it
	OpsAddr        string         `name:"ops-addr" env:"DG_OPS_ADDR" default:"127.0.0.1:8081" help:"Address of /metrics and /debug/pprof. Keep it private. It answers requests for its own host and loopback hosts only."`
	TrustedProxies []string       `name:"trusted-proxies" env:"DG_TRUSTED_PROXIES" validate:"dive,network" placeholder:"CIDR" help:"Networks of trusted proxies, separated by commas. Their X-Forwarded-For names the client. Without it all clients behind a proxy share one limit of 20 wrong passwords in ten minutes."`
	ShutdownDelay  time.Duration  `name:"shutdown-delay" env:"DG_SHUTDOWN_DELAY" validate:"min=0,max=30s" default:"2s" help:"How long dg serves after SIGTERM while /readyz answers 503, if a client is connected. Set it longer than a load balancer takes to notice."`
}

// Pools bound the connections of an instance to the database. With the 8 for exports and the one
// for re-checks they are 31. At least 4 of each leave connections for requests during background
// work.
type Pools struct {
	PoolAuth  int32 `name:"pool-auth" env:"DG_POOL_AUTH" validate:"min=4" default:"11" help:"Connections for authentication, sign-in and the audit log. An instance opens at most these, those of DG_POOL_READS, and 9 for exports: 31 by default."`
	PoolReads int32 `name:"pool-reads" env:"DG_POOL_READS" validate:"min=4" default:"11" help:"Connections for forks and statistics."`
}

// Check returns an error about the first invalid setting, or nil.
func (p Pools) Check() error { return check(p) }

// Base returns the base URL without a trailing slash. It is https, or http on a loopback host: the
// session cookie is Secure.
func (a Address) Base() (string, error) {
	if err := check(a); err != nil {
		return "", err
	}
	if a.BaseURL == "" { // of a server without a proxy
		return "http://" + a.Addr, nil
	}
	return strings.TrimRight(a.BaseURL, "/"), nil
}

// Proxies returns the trusted networks.
func (s Server) Proxies() ([]netip.Prefix, error) {
	if err := check(s); err != nil {
		return nil, err
	}
	prefixes := make([]netip.Prefix, len(s.TrustedProxies))
	for i, text := range s.TrustedProxies {
		prefixes[i], _ = parseNetwork(text)
	}
	return prefixes, nil
}
