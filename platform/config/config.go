// Package config defines the settings. Each is a flag, an environment variable or a line of the
// settings file. A setting tagged as a secret may also be in a file of its own.
package config

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"dg/platform/netaddr"
)

// Database has the settings of the PostgreSQL connections, or of the embedded server.
type Database struct {
	DatabaseURL        string `env:"DG_DATABASE_URL" placeholder:"URL" secret:"" help:"${url}"`
	DatabasePooler     string `env:"DG_DATABASE_POOLER" enum:",transaction,prepared" default:"" help:"${pooler}"`
	MigrateDatabaseURL string `env:"DG_MIGRATE_DATABASE_URL" placeholder:"URL" secret:"" help:"${migrate}"`
	ReplicaURLs        string `name:"database-replica-urls" env:"DG_DATABASE_REPLICA_URLS" placeholder:"URLS" secret:"" help:"${replicas}"`
	DataDir            string `env:"DG_DATA_DIR" default:".data" help:"Folder of the embedded server."`
}

// Pooled reports whether the database URL leads to a pooler in transaction mode.
func (d Database) Pooled() bool { return d.DatabasePooler != "" }

// Embedded reports whether dg runs its own PostgreSQL: no database URL is set.
func (d Database) Embedded() bool { return d.DatabaseURL == "" }

// Check reports the first invalid setting. The error quotes no URL, which may contain a password.
func (d Database) Check() error {
	replicaCount := len(d.Replicas())
	switch {
	case d.Embedded() && d.MigrateDatabaseURL+d.ReplicaURLs != "":
		return errors.New("DG_MIGRATE_DATABASE_URL or DG_DATABASE_REPLICA_URLS is set and " +
			"DG_DATABASE_URL is not: set it, or none of them for the embedded server")
	case d.Pooled() && d.MigrateDatabaseURL == "":
		return errors.New("DG_DATABASE_POOLER is set and DG_MIGRATE_DATABASE_URL is not: set it to " +
			"PostgreSQL itself, where migrations and imports have a session of their own")
	case replicaCount > 8 || replicaCount != strings.Count(d.ReplicaURLs, "://"): // a start may wait 2 s for each
		return errors.New("DG_DATABASE_REPLICA_URLS is not a list of at most 8 URLs such as " +
			"postgres://user:password@host:5432/database, separated by spaces")
	}
	return nil
}

// Replicas splits ReplicaURLs at white space: commas separate the hosts within a URL.
func (d Database) Replicas() []string { return strings.Fields(d.ReplicaURLs) }

// Address says where dg listens, and at which URL users reach it.
type Address struct {
	Addr    string `env:"DG_ADDR" default:"127.0.0.1:8080" help:"Address to serve on."`
	BaseURL string `env:"DG_BASE_URL" placeholder:"URL" help:"${base}"`
}

// Base returns the base URL without a trailing slash, by default http://Addr. It is in ASCII, which
// curl needs under cron. It must be https: the session cookie is Secure, which loopback exempts.
func (a Address) Base() (string, error) {
	base := strings.TrimRight(cmp.Or(a.BaseURL, "http://"+a.Addr), "/")
	u, err := url.Parse(base)
	switch {
	case err == nil && u.Hostname() != "" && base == (&url.URL{Scheme: u.Scheme, Host: u.Host}).String() &&
		(u.Scheme == "https" || u.Scheme == "http" && netaddr.IsLoopback(u.Hostname())):
		return base, nil
	case a.BaseURL == "":
		return "", fmt.Errorf("DG_ADDR %s is not an address of this machine alone, such as "+
			"127.0.0.1:8080: set DG_BASE_URL to its public https address", a.Addr)
	}
	return "", errors.New("DG_BASE_URL is not scheme, host and port in ASCII: https, such as " +
		"https://dg.example.org, or http on a loopback host, such as http://127.0.0.1:8080")
}

func isLoopbackURL(base string) bool {
	u, err := url.Parse(base)
	return err == nil && netaddr.IsLoopback(u.Hostname())
}

// LoopbackOnly reports whether only this machine reaches dg. The base URL may be https, because
// Safari keeps the session cookie only over https.
func (a Address) LoopbackOnly() bool {
	return isLoopbackURL("http://"+a.Addr) && (a.BaseURL == "" || isLoopbackURL(a.BaseURL))
}

// Serve has the settings that dg serve and dg doctor share.
type Serve struct {
	Database
	Address
	Secrets
	OpsAddr        string         `env:"DG_OPS_ADDR" default:"127.0.0.1:8081" help:"${ops}"`
	TrustedProxies []netip.Prefix `env:"DG_TRUSTED_PROXIES" placeholder:"CIDR" help:"${proxies}"`
	Operator       string         `env:"DG_OPERATOR" placeholder:"CONTACT" help:"Who operates the service, for pages of errors: a name and an address, such as Help desk <dg@example.org>."`
	ShutdownDelay  time.Duration  `env:"DG_SHUTDOWN_DELAY" default:"2s" help:"${delay}"`
	// By default the pools need 32 connections to the primary: 12 for requests, 20 for other work.
	// max_connections is 100 by default, with 3 reserved for superusers: three instances leave one.
	PoolRequests int32 `env:"DG_POOL_REQUESTS" default:"12" help:"${requests}"`
}

// Contact returns the name and the address of the operator, or the zero value if none is set.
func (s Serve) Contact() (mail.Address, error) {
	if s.Operator == "" {
		return mail.Address{}, nil
	}
	contact, err := mail.ParseAddress(s.Operator)
	if err != nil || contact.Name == "" {
		return mail.Address{}, errors.New("DG_OPERATOR is not a name and an address, such as " +
			"Help desk <dg@example.org>")
	}
	return *contact, nil
}

// Check returns all faults, one a line. Of the Database settings it returns only the first.
func (s Serve) Check() error {
	_, baseErr := s.Base()
	_, _, keysErr := s.Keys()
	_, contactErr := s.Contact()
	faults := []error{s.Database.Check(), baseErr, keysErr, contactErr}
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

// Secrets has the keys that encrypt the stored secrets of two-step verification.
type Secrets struct {
	SecretKey         string `env:"DG_SECRET_KEY" placeholder:"KEY" secret:"" help:"${key}"`
	SecretKeyPrevious string `env:"DG_SECRET_KEY_PREVIOUS" placeholder:"KEY" secret:"" help:"${previous}"`
}

// Keys returns the decoded keys. A key is nil if it is not set. No error quotes a key.
func (s Secrets) Keys() (current, previous []byte, err error) {
	current, err = parseKey("DG_SECRET_KEY", s.SecretKey)
	previous, previousErr := parseKey("DG_SECRET_KEY_PREVIOUS", s.SecretKeyPrevious)
	return current, previous, errors.Join(err, previousErr)
}

func parseKey(setting, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != 32 { // the length of an AES-256 key
		return nil, fmt.Errorf("%s is not a key: set it to 32 random bytes in base64, such as the "+
			"output of: openssl rand -base64 32", setting)
	}
	return key, nil
}
