package apptest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// WithoutTLS has the changes for StartProxy that turn the examples into plain HTTP.
var WithoutTLS = []string{" ssl crt /etc/haproxy/dg.example.org.pem", "", " ssl sndbuf", " sndbuf"}

// NewProxyClient returns a client of the server at the address. It connects from 127.0.0.2 and reuses its connections.
func NewProxyClient(address string) *http.Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	c := newClientWithDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", address)
	})
	transport := c.Transport.(*http.Transport)
	transport.DisableKeepAlives = false
	transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	return c
}

// PublicURL is the value of DG_BASE_URL behind a proxy.
const PublicURL = "https://dg.example.org"

// StartProxy starts a proxy with its example configuration in front of upstream, and returns the proxy's address.
// If its program is missing, the test is skipped, or fails if CI is set. changes are pairs of an old and a new text.
func StartProxy(t *testing.T, name, upstream string, changes ...string) (address string) {
	program, err := exec.LookPath(name)
	if err != nil {
		tb.SkipOrFail(t, err)
	}
	dir := t.TempDir()
	address = FreeAddress(t)
	var log tb.Buffer
	proxy := exec.Command(program, proxyArguments(t, name, dir, address, upstream, changes)...)
	proxy.Stdout, proxy.Stderr = &log, &log
	require.NoError(t, proxy.Start())
	t.Cleanup(func() {
		_ = proxy.Process.Signal(syscall.SIGTERM)
		_ = proxy.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	c := NewProxyClient(address)
	WaitUntil(t, 10*time.Second, name+" does not serve", func() bool {
		base := PublicURL
		if len(changes) > 0 {
			base = "http://" + address
		}
		response, err := c.Get(base + "/readyz")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return address
}

// ServeBehindProxy starts dg serve with one large fork and with loopback as a trusted proxy.
func ServeBehindProxy(t *testing.T, args ...string) *ExportServer {
	db := testkit.New(t)
	return StartExportServer(t, db, PickSize(30_000, 150_000, 150_000), slices.Concat(args, db.Flags(),
		[]string{"--base-url", PublicURL, "--trusted-proxies", "127.0.0.1/32"})...)
}

// proxyArguments writes the example with other addresses and httptest's certificate, and returns the arguments for it.
func proxyArguments(t *testing.T, name, dir, address, upstream string, changes []string) []string {
	example := map[string]string{"nginx": "nginx.conf", "haproxy": "haproxy.cfg"}[name]
	text, err := os.ReadFile(RepositoryPath("configs", "deploy", example))
	require.NoError(t, err)
	certificate := filepath.Join(dir, "certificate.pem")
	require.NoError(t, os.WriteFile(certificate, selfSignedPEM(t), 0o600))
	adapted := strings.NewReplacer(append(changes, "    listen [::]:443 ssl", "#", "    bind :::443", "#",
		"listen 443", "listen "+address, "bind :443", "bind "+address, "127.0.0.1:8080", upstream,
		"/etc/ssl/certs/dg.example.org.pem", certificate,
		"/etc/ssl/private/dg.example.org.key", certificate,
		"/etc/haproxy/dg.example.org.pem", certificate)...).Replace(string(text))
	if os.Getuid() != 0 { // only root may change the user
		adapted = strings.NewReplacer("    user haproxy\n", "", "    group haproxy\n", "").Replace(adapted)
	}
	config := filepath.Join(dir, example)
	require.NoError(t, os.WriteFile(config, []byte(adapted), 0o600))
	if name == "haproxy" {
		return []string{"-db", "-f", config}
	}
	main := fmt.Sprintf("daemon off; pid %[1]s/pid; error_log stderr; "+
		"events { worker_connections 15000; } "+
		"http { access_log off; client_body_temp_path %[1]s; include %[2]s; }", dir, config)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.conf"), []byte(main), 0o600))
	return []string{"-p", dir, "-c", filepath.Join(dir, "main.conf")}
}

func selfSignedPEM(t *testing.T) []byte {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
}
