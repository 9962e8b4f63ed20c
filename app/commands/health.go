package commands

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"dg/platform/config"
)

// healthCmd is `dg health`, for container images without curl.
type healthCmd struct{ config.Address }

const healthTimeout = 5 * time.Second

func (c healthCmd) Run(ctx context.Context, p Stdio) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("DG_ADDR: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, healthTimeout)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+net.JoinHostPort(cmp.Or(host, "localhost"), port)+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	// without a proxy of the environment: the address is this machine's
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s: %s", answer.Status, text)
	}
	return p.print("%s\n", strings.TrimSpace(string(text)))
}
