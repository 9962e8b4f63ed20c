package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
)

// findSettings checks the settings by themselves.
func findSettings(_ context.Context, s *Subject) (findings []Finding) {
	const help = "Correct it: dg --help explains each setting."
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
	if s.SecretKey == "" && !s.Private() {
		findings = append(findings, Finding{"secret key", Warning,
			"without DG_SECRET_KEY two-step secrets are stored in clear",
			"Set DG_SECRET_KEY to 32 random bytes, such as the output of: openssl rand -base64 32"})
	}
	return findings
}

// findAddresses checks that dg serve can listen on the addresses of DG_ADDR and DG_OPS_ADDR.
func findAddresses(ctx context.Context, s *Subject) (findings []Finding) {
	if _, port, _ := net.SplitHostPort(s.Addr); s.Addr == s.OpsAddr && port != "0" {
		return []Finding{{"address", Failure, "DG_ADDR and DG_OPS_ADDR are both " + s.Addr,
			"Set DG_OPS_ADDR to another port."}}
	}
	for i, setting := range []string{"DG_ADDR", "DG_OPS_ADDR"} {
		address := []string{s.Addr, s.OpsAddr}[i]
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			_ = ln.Close()
		case errors.Is(err, syscall.EADDRINUSE):
			findings = append(findings, Finding{"address", s.InUse, setting + " " + address + " is in use",
				"Set " + setting + " to a free address, unless dg serve runs now."})
		default:
			findings = append(findings, Finding{"address", Failure,
				fmt.Sprintf("cannot listen on %s %s: %v", setting, address, err), "Set " + setting +
					" to an address of this machine, with a port above 1023 or the right to use it."})
		}
	}
	return findings
}
