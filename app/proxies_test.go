package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit/fixtures"
)

// proxied is a dg behind one of the proxies of configs/deploy.
type proxied struct {
	*exporting
	public *http.Client // speaks to the proxy, from 127.0.0.2
	slow   *http.Client // the same, and what it does not read is not sent
}

// clientOf speaks to the proxy at the address, through a window of that many bytes (0: the usual one).
func clientOf(address string, window int) *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
		conn, err := from.DialContext(ctx, "tcp", address)
		if tcp, ok := conn.(*net.TCPConn); ok && window > 0 {
			err = tcp.SetReadBuffer(window)
		}
		return conn, err
	}
	return &http.Client{Transport: &http.Transport{
		DialContext: dial, DisableCompression: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
}

const publicURL = "https://dg.example.org"

// The examples of configs/deploy, with this test's addresses: what clients get through them is what dg sends.
func TestProxyExamples(t *testing.T) {
	t.Parallel()
	for name := range proxyArguments {
		t.Run(name, func(t *testing.T) {
			p := proxied{exporting: behindProxy(t)}
			address := startProxy(t, name, strings.TrimPrefix(p.url, "http://"))
			if address == "" {
				t.Skipf("SKIPPED, NOTHING WAS TESTED: there is no %s", name)
			}
			p.public, p.slow = clientOf(address, 0), clientOf(address, 110<<10)
			p.answersAlike(t)
			p.knowsTheClient(t)
			p.exportsWhole(t)
			p.waitsForSlowReaders(t)
			p.breaksVisibly(t)
			// Without TLS, which tells a client of a broken connection itself.
			p.exporting.breaksVisibly(t, "http://"+startProxy(t, name, strings.TrimPrefix(p.url, "http://"), withoutTLS()...))
		})
	}
}

// proxyArguments are those of each proxy for its configuration.
var proxyArguments = map[string]func(t *testing.T, config, dir string) []string{
	"nginx": func(t *testing.T, config, dir string) []string {
		main := fmt.Sprintf("daemon off; pid %[1]s/pid; error_log stderr; events { worker_connections 15000; } http { access_log off; client_body_temp_path %[1]s; include %[2]s; }", dir, config)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.conf"), []byte(main), 0o600))
		return []string{"-p", dir, "-c", filepath.Join(dir, "main.conf")}
	},
	"haproxy": func(_ *testing.T, config, _ string) []string { return []string{"-db", "-f", config} },
}

// startProxy starts a proxy with its example in front of dg at upstream, and returns its address once it serves; "" where it is not
// installed. changes are more of them to the example.
func startProxy(t *testing.T, name, upstream string, changes ...string) (address string) {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	dir, address := t.TempDir(), freeAddress(t)
	example := map[string]string{"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}[name]
	var log buffer
	proxy := exec.Command(program, proxyArguments[name](t, adapt(t, example, dir, address, upstream, changes), dir)...)
	proxy.Stdout, proxy.Stderr = &log, &log
	require.NoError(t, proxy.Start())
	t.Cleanup(func() {
		_ = proxy.Process.Signal(syscall.SIGTERM)
		_ = proxy.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	c := clientOf(address, 0)
	until(t, 10*time.Second, name+" does not serve", func() bool {
		base := publicURL
		if len(changes) > 0 {
			base = "http://" + address
		}
		response, err := c.Get(base + "/readyz")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return address
}

// behindProxy is a dg that trusts proxies on this machine, with one large fork.
func behindProxy(t *testing.T, args ...string) *exporting {
	t.Helper()
	db := fixtures.New(t)
	fork := db.Fork(fixtures.Fork{OrganisationID: db.Organisation(fixtures.Organisation{}).ID})
	db.Players(fork.OrganisationID, 500)
	plays := chaosSize(30_000, 150_000, 150_000)
	db.Plays(fork, plays, fork.CreatedAt, time.Second)
	db.Exec(`analyze`) // as an import does: rows come in the order of an index
	address := freeAddress(t)
	dg := launch(t, append(args, "serve", "--addr", address, "--ops-addr", "127.0.0.1:0", "--database-url", db.URL,
		"--migrate-database-url", db.OwnerURL, "--base-url", publicURL, "--trusted-proxies", "127.0.0.1/32")...).untilServing()
	dg.url = "http://" + address // it says the public one
	return &exporting{
		path: "/api/v1/forks/" + fork.ID + "/exports/csv?from=2026-01-01&to=2026-12-31", plays: plays,
		child: dg, door: doorTo(t, db.URL), token: db.Key(fork.OrganisationID).Token(), more: []string{db.Key(fork.OrganisationID).Token(), db.Key(fork.OrganisationID).Token()},
	}
}

// adapt writes an example with other addresses and a certificate of this test.
func adapt(t *testing.T, example, dir, address, upstream string, changes []string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "configs", "deploy", example))
	require.NoError(t, err)
	certificate, key := selfSigned(t)
	both := filepath.Join(dir, "both.pem")
	require.NoError(t, os.WriteFile(both, append(certificate, key...), 0o600))
	adapted := strings.NewReplacer(append(changes, "listen 443", "listen "+address, "bind :443", "bind "+address, "127.0.0.1:8080", upstream,
		"/etc/ssl/certs/dg.example.org.pem", both, "/etc/ssl/private/dg.example.org.key", both, "/etc/haproxy/dg.example.org.pem", both)...).Replace(string(text))
	config := filepath.Join(dir, example)
	require.NoError(t, os.WriteFile(config, []byte(adapted), 0o600))
	return config
}

func selfSigned(t *testing.T) (certificate, key []byte) {
	t.Helper()
	pair, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"dg.example.org"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &pair.PublicKey, pair)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(pair)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
}

// answersAlike asks what proxies like to answer themselves or to rewrite: large headers, dot segments, HEAD, 304.
func (p proxied) answersAlike(t *testing.T) {
	t.Helper()
	list := p.url + "/api/v1/forks"
	tag := ask(t, client(), list, p.token).Header.Get("ETag")
	for _, q := range []struct {
		method, path string
		headers      []string
	}{
		{"GET", "/api/v1/forks", nil}, {"HEAD", "/api/v1/forks", nil}, {"GET", "/api/v1/forks", []string{"If-None-Match", tag}},
		{"GET", "/api/v1//forks", nil}, {"GET", "/api/v1/%2e%2e/forks", nil}, {"GET", "/api/v1/forks%2Fx", nil}, {"GET", "/API/v1/forks", nil},
		{"DELETE", "/api/v1/forks", nil}, {"GET", "/api/v1/forks", []string{"X-Long", strings.Repeat("x", 20<<10)}},
		{"GET", "/api/v1/forks?" + strings.Repeat("x", 20<<10), nil}, {"GET", "/sign-in", nil}, {"GET", "/openapi/v1.json", nil},
	} {
		direct, through := p.send(t, client(), p.url, q.method, q.path, q.headers), p.send(t, p.public, publicURL, q.method, q.path, q.headers)
		require.Equal(t, direct, through, "%s %.60s", q.method, q.path)
	}
}

// received is what a client sees of a response.
type received struct {
	status           int
	body, etag, kind string
}

func (p proxied) send(t *testing.T, c *http.Client, base, method, path string, headers []string) received {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, base+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+p.token)
	request.Host = "dg.example.org"
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return received{response.StatusCode, string(body), response.Header.Get("ETag"), response.Header.Get("Content-Type")}
}

// knowsTheClient: the audit log has the address of the client, whatever the client says it is.
func (p proxied) knowsTheClient(t *testing.T) {
	t.Helper()
	response := ask(t, p.public, publicURL+p.path, p.token, "X-Request-Id", "behind-a-proxy", "X-Forwarded-For", "6.6.6.6")
	_, err := io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.2", read[string](t, p.door, `select address from audit_entries where action = 'export.started' and request_id = 'behind-a-proxy'`))
}

func (p proxied) exportsWhole(t *testing.T) {
	t.Helper()
	for _, encoding := range []string{"identity", "gzip"} {
		require.Equal(t, p.send(t, client(), p.url, "GET", p.path, []string{"Accept-Encoding", encoding}),
			p.send(t, p.public, publicURL, "GET", p.path, []string{"Accept-Encoding", encoding}))
	}
}

// breaksVisibly: a failure after the first byte is one for the client behind the proxy too.
func (p proxied) breaksVisibly(t *testing.T) {
	t.Helper()
	response := ask(t, p.slow, publicURL+p.path, p.token, "Accept-Encoding", "identity")
	_, err := io.ReadFull(response.Body, make([]byte, 1))
	require.NoError(t, err)
	until(t, 5*time.Second, "no export runs", func() bool {
		return read[int](t, p.door, `select count(pg_terminate_backend(pid))`+exportBackends) == 1
	})
	_, err = io.Copy(io.Discard, response.Body)
	require.Error(t, err, "a broken file looked whole")
}

// waitsForSlowReaders: an export that is read at 100 KB/s, and after 20 seconds at once, is whole. Megabytes in the kernel for its reader
// would keep dg waiting for longer than it waits for a block.
func (p proxied) waitsForSlowReaders(t *testing.T) {
	t.Helper()
	if !chaos {
		return
	}
	response := ask(t, p.slow, publicURL+p.path, p.token, "Accept-Encoding", "identity")
	defer response.Body.Close()
	var err error
	for began := time.Now(); err == nil && time.Since(began) < 20*time.Second; time.Sleep(100 * time.Millisecond) {
		_, err = io.CopyN(io.Discard, response.Body, 10<<10)
	}
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
}
