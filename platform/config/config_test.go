package config_test

import (
	"bytes"
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/config"
)

// dg serve --help: DG_BASE_URL is https, or http on a loopback host.
func TestBaseURLIsHTTPSOrLoopback(t *testing.T) {
	for base, want := range map[string]string{
		"https://dg.example.org": "https://dg.example.org", "https://dg.example.org//": "https://dg.example.org",
		"https://dg.example.org:8443": "https://dg.example.org:8443", "https://192.0.2.7": "https://192.0.2.7",
		"https://[2001:db8::7]": "https://[2001:db8::7]", "http://127.8.9.10": "http://127.8.9.10",
		"http://localhost:8080/": "http://localhost:8080", "http://[::1]:8080": "http://[::1]:8080",
	} {
		got, err := config.Address{BaseURL: base, Addr: "0.0.0.0:8080"}.Base()
		require.NoError(t, err, base)
		require.Equal(t, want, got)
	}
	for _, base := range []string{
		"http://dg.example.org", "http://192.0.2.7", "http://0.0.0.0:8080", "http://[::]:8080",
		"http://localhost.example.org", "http://127.0.0.1.example.org", "http://notlocalhost", "http://10.0.0.1",
		"ftp://dg.example.org", "dg.example.org", "dg.example.org:8443", "//dg.example.org", "/", "https://",
		"https:///path", "https://:8443", "https:dg.example.org", "https://user@dg.example.org",
		"https://user:pass@dg.example.org", "https://dg.example.org?x=1", "https://dg.example.org?",
		"https://dg.example.org#x", "https://dg.example.org#", "https://dg example.org", "https://dg.example.org:port",
		" https://dg.example.org", "https://dg.example.org\n", "https://bücher.example", "https://dg.example.org/under",
	} {
		got, err := config.Address{BaseURL: base}.Base()
		require.ErrorContains(t, err, "DG_BASE_URL", "%q", base)
		require.Empty(t, got, "%q", base)
		require.NotContains(t, err.Error(), "pass@", "no password in a message")
	}
}

// Without DG_BASE_URL, the base URL is DG_ADDR, which must then be a loopback address.
func TestDefaultBaseURLIsLoopback(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "localhost:8080": "http://localhost:8080",
		"[::1]:8080": "http://[::1]:8080", "127.0.0.1:0": "http://127.0.0.1:0",
	} {
		got, err := config.Address{Addr: addr}.Base()
		require.NoError(t, err, addr)
		require.Equal(t, want, got)
	}
	for _, addr := range []string{
		"", ":8080", "0.0.0.0:8080", "[::]:8080", "192.0.2.7:8080", "dg.example.org:8080", "::1:8080", "8080",
	} {
		got, err := config.Address{Addr: addr}.Base()
		require.ErrorContains(t, err, "DG_ADDR", "%q", addr)
		require.Empty(t, got, "%q", addr)
	}
}

// Only this machine reaches dg if DG_ADDR and DG_BASE_URL are both loopback: a proxy can publish a loopback DG_ADDR.
func TestLoopbackOnlyNeedsALoopbackAddressAndURL(t *testing.T) {
	for _, c := range []struct {
		addr, base   string
		loopbackOnly bool
	}{
		{"127.0.0.1:8080", "", true}, {"[::1]:8080", "http://localhost:8080", true},
		{"127.0.0.1:8080", "https://localhost:8443", true}, // Safari keeps the session cookie only over https
		{"127.0.0.1:8080", "https://dg.example.org", false},
		{"0.0.0.0:8080", "http://127.0.0.1:8080", false},
		{":8080", "http://127.0.0.1:8080", false}, {"127.0.0.1:8080", "://", false},
		{"", "", false},
	} {
		require.Equal(t, c.loopbackOnly, config.Address{Addr: c.addr, BaseURL: c.base}.LoopbackOnly(), "%+v", c)
	}
}

// The error for an invalid setting names the variable and a valid value.
func TestInvalidSettingsAreExplained(t *testing.T) {
	valid := config.Serve{PoolRequests: 4, ShutdownDelay: 30 * time.Second}
	valid.Addr = "127.0.0.1:8080"
	require.NoError(t, valid.Check())
	for want, spoil := range map[string]func(*config.Serve){
		"DG_ADDR 0.0.0.0:8080 is not an address of this machine alone, such as 127.0.0.1:8080: " +
			"set DG_BASE_URL to its public https address": func(c *config.Serve) { c.Addr = "0.0.0.0:8080" },
		"DG_BASE_URL is not scheme, host and port in ASCII: https, such as https://dg.example.org, or http on a " +
			"loopback host, such as http://127.0.0.1:8080": func(c *config.Serve) { c.BaseURL = "http://dg.example" },
		"DG_OPERATOR is not a name and an address, such as Help desk <dg@example.org>": func(c *config.Serve) {
			c.Operator = "dg@example.org"
		},
		"DG_POOL_REQUESTS is 3: set it to 4 or more":    func(c *config.Serve) { c.PoolRequests = 3 },
		"DG_SHUTDOWN_DELAY is -1s: set it to 0s to 30s": func(c *config.Serve) { c.ShutdownDelay = -time.Second },
		"DG_MIGRATE_DATABASE_URL or DG_DATABASE_REPLICA_URLS is set and DG_DATABASE_URL is not: set it, or none of " +
			"them for the embedded server": func(c *config.Serve) { c.MigrateDatabaseURL = "postgres://x" },
		"DG_DATABASE_POOLER is set and DG_MIGRATE_DATABASE_URL is not: set it to PostgreSQL " +
			"itself, where migrations and imports have a session of their own": func(c *config.Serve) {
			c.DatabaseURL, c.DatabasePooler = "postgres://x", "transaction"
		},
		"DG_TRUSTED_PROXIES has ::/0: any client can name any address as its own. Set it to the " +
			"addresses of your proxies only": func(c *config.Serve) {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("::/0")}
		},
	} {
		c := valid
		spoil(&c)
		require.EqualError(t, c.Check(), want)
	}
	valid.DatabaseURL, valid.MigrateDatabaseURL = "x", "y" // operations.md, Settings: migrations connect as the owner
	require.NoError(t, valid.Check())
}

// White space separates the replicas. Commas separate the hosts within one URL.
func TestReplicaURLsAreSplitAtWhiteSpace(t *testing.T) {
	const a, b = "postgres://dg_app:p,w@a1,a2/dg?sslmode=require", "postgresql://dg_app@b/dg"
	require.Equal(t, []string{a, b}, config.Database{ReplicaURLs: a + " " + b + "\n"}.Replicas())
	for _, list := range []string{"host=a", a + "," + b, b + " host=c", strings.Repeat(b+" ", 9)} {
		err := config.Database{DatabaseURL: b, ReplicaURLs: list}.Check()
		require.ErrorContains(t, err, "DG_DATABASE_REPLICA_URLS is not a list of at most 8 URLs", list)
	}
	require.NoError(t, config.Database{DatabaseURL: b, ReplicaURLs: a + strings.Repeat(" "+b, 7)}.Check())
	require.ErrorContains(t, config.Database{ReplicaURLs: b}.Check(), "DG_DATABASE_URL is not")
}

// A secret key is 32 bytes in base64. The error for any other value does not quote it.
func TestSecretKeysAre32Bytes(t *testing.T) {
	key := bytes.Repeat([]byte{0xfb, 0xef, 0x01, 0x7f}, 8)
	encode := base64.StdEncoding.EncodeToString
	valid := encode(key)
	for secrets, want := range map[config.Secrets][2][]byte{
		{}: {}, {SecretKey: valid, SecretKeyPrevious: valid + "\n"}: {key, key}, {SecretKey: valid + "\n"}: {key, nil},
		{SecretKeyPrevious: valid}: {nil, key}, // other instances already write with this key
	} {
		current, previous, err := secrets.Keys()
		require.NoError(t, err)
		require.Equal(t, want, [2][]byte{current, previous})
	}
	for _, text := range []string{"x", valid[:40], valid + "00", strings.Repeat("0f", 32), encode(key[:31]),
		encode(append(key, 0)), strings.Repeat("z", 64), "correct horse battery staple", " "} {
		_, _, err := config.Secrets{SecretKey: text}.Keys()
		require.ErrorContains(t, err, "DG_SECRET_KEY is not a key", "%q", text)
		require.NotContains(t, err.Error(), "correct horse")
		_, _, err = config.Secrets{SecretKey: valid, SecretKeyPrevious: text}.Keys()
		require.ErrorContains(t, err, "DG_SECRET_KEY_PREVIOUS is not a key", "%q", text)
	}
}
