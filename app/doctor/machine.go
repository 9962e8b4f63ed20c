package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"dg/platform/embeddedpg"
	"dg/platform/telemetry"
)

func checkSettings(_ context.Context, s *Installation) (warnings []string, _ error) {
	for _, name := range s.UnknownVariables {
		warnings = append(warnings, name+" is not a setting: see dg serve --help")
	}
	if strings.HasPrefix(s.BaseURL, "https://") && len(s.TrustedProxies) == 0 {
		warnings = append(warnings, "the base URL is https and no proxy is trusted, so all clients "+
			"share one address and its limits: set DG_TRUSTED_PROXIES to the network of the proxy "+
			"that ends TLS")
	}
	if s.SecretKey == "" && !s.LoopbackOnly() {
		warnings = append(warnings, "two-step secrets are stored in clear: set DG_SECRET_KEY to 32 "+
			"random bytes, such as the output of: openssl rand -base64 32; several instances take three steps "+
			"(operations.md, Secret key)")
	}
	if host, _, _ := net.SplitHostPort(s.OpsAddr); host == "" || net.ParseIP(host).IsUnspecified() {
		warnings = append(warnings, "every network may reach metrics and profiles at DG_OPS_ADDR "+s.OpsAddr+
			": set it to a private address")
	}
	_, tracesErr := telemetry.TracesFromEnv()
	return warnings, errors.Join(s.Check(), tracesErr)
}

// checkAddresses listens on both addresses at once, so that equal ones fail.
func checkAddresses(ctx context.Context, s *Installation) (_ []string, failures error) {
	if s.RunByDoctor && s.Addr != s.OpsAddr && servesDG(ctx, s.Addr) {
		s.serveAnswers = true
		return nil, nil
	}
	for _, a := range [][2]string{{"DG_ADDR", s.Addr}, {"DG_OPS_ADDR", s.OpsAddr}} {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", a[1])
		if err == nil {
			defer ln.Close()
			continue
		}
		failures = errors.Join(failures, fmt.Errorf("cannot listen on %[1]s %[2]s: %[3]w: unless a dg serve is "+
			"starting there, set %[1]s to a free address of this machine, with a port that its user may use",
			a[0], a[1], err))
	}
	return nil, failures
}

func servesDG(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, text, err := GetLocal(ctx, address, "/healthz")
	_, _, _ = GetLocal(ctx, address, "/readyz") // makes an idle dg connect: checkDatabase looks for its session
	return err == nil && status == http.StatusOK && text == "ok\n"
}

// GetLocal sends a GET to a dg on this machine, without a proxy. It dials address itself, because a
// URL admits neither an IPv6 zone nor the name of a port. text has up to 4 KB of the body.
func GetLocal(ctx context.Context, address, path string) (status int, text string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost"+path, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}}).Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	return response.StatusCode, string(body), err
}

func checkFolder(ctx context.Context, s *Installation) ([]string, error) {
	if !s.Embedded() {
		return nil, nil
	}
	if err := embeddedpg.CheckFolder(s.DataDir); err != nil {
		return nil, err
	}
	if _, err := embeddedpg.FindPrograms(ctx, s.DataDir); err != nil {
		return nil, err
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(s.DataDir, &disk); err != nil {
		return nil, nil //nolint:nilerr // the folder is missing: dg serve makes it
	}
	return checkFreeSpace(disk.Bavail * uint64(disk.Bsize)), nil
}

func checkFreeSpace(free uint64) (warnings []string) {
	if free < 1<<30 {
		warnings = append(warnings, fmt.Sprintf("only %d MiB are free for the data: free some room, as "+
			"PostgreSQL stops when its disk is full", free>>20))
	}
	return warnings
}
