package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"dg/platform/embeddedpg"
)

func checkSettings(_ context.Context, s *Installation) (findings []Finding, _ error) {
	const help = "Correct it: dg serve --help explains each setting."
	if err := s.Check(); err != nil {
		for says := range strings.SplitSeq(err.Error(), "\n") {
			findings = append(findings, Finding{"settings", Failure, says, help})
		}
	}
	for _, name := range s.Unknown {
		findings = append(findings, Finding{"settings", Warning, name + " is not a setting", help})
	}
	if strings.HasPrefix(s.BaseURL, "https://") && len(s.TrustedProxies) == 0 {
		findings = append(findings, Finding{"proxies", Warning,
			"the base URL is https, dg speaks http, and no proxy is trusted: all clients share " +
				"one address and its limits",
			"Set DG_TRUSTED_PROXIES to the network of the proxy that ends TLS."})
	}
	if s.SecretKey == "" && !s.LoopbackOnly() {
		findings = append(findings, Finding{"secret key", Warning,
			"without DG_SECRET_KEY two-step secrets are stored in clear",
			"Set DG_SECRET_KEY to 32 random bytes, such as the output of: openssl rand -base64 32"})
	}
	return findings, nil
}

// checkAddresses listens on both addresses at once, and so notices equal ones.
func checkAddresses(ctx context.Context, s *Installation) (findings []Finding, _ error) {
	for i, setting := range []string{"DG_ADDR", "DG_OPS_ADDR"} {
		address := []string{s.Addr, s.OpsAddr}[i]
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err == nil {
			defer ln.Close()
			continue
		}
		verdict := Failure
		if errors.Is(err, syscall.EADDRINUSE) && s.Addr != s.OpsAddr {
			verdict = s.InUse
		}
		findings = append(findings, Finding{"address", verdict,
			fmt.Sprintf("cannot listen on %s %s: %v", setting, address, err),
			"Set " + setting + " to a free address of this machine, with a port above 1023 or " +
				"the right to use it. A dg serve that runs has its own in use."})
	}
	return findings, nil
}

func checkFolder(ctx context.Context, s *Installation) ([]Finding, error) {
	if !s.Embedded() {
		return nil, nil
	}
	if err := embeddedpg.CheckFolder(s.DataDir); err != nil {
		return nil, fmt.Errorf("data folder %q cannot be used: %w", s.DataDir, err)
	}
	if _, err := embeddedpg.FindProgram(ctx, s.DataDir, "postgres"); err != nil {
		return nil, err
	}
	var disk syscall.Statfs_t
	_ = syscall.Statfs(s.DataDir, &disk) // a missing folder leaves size 0: unknown
	block := uint64(disk.Bsize)
	return checkFreeSpace(disk.Bavail*block, disk.Blocks*block), nil
}

// checkFreeSpace takes size 0 for unknown.
func checkFreeSpace(free, size uint64) []Finding {
	const gib = 1 << 30
	if size == 0 || free >= gib && free >= size/20 {
		return nil
	}
	return []Finding{{"disk", Warning, fmt.Sprintf("%.1f of %.1f GiB are free for the data",
		float64(free)/gib, float64(size)/gib),
		"Free some room: PostgreSQL stops when its disk is full."}}
}
