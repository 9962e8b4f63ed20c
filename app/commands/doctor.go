package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"dg/app/doctor"
	"dg/platform/config"
)

type doctorCmd struct{ config.Serve }

const doctorTimeout = time.Minute // bounds all checks together

func (c doctorCmd) Run(ctx context.Context, p Stdio) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	s := doctor.Installation{Serve: c.Serve, UnknownVariables: p.unknownVariables, ServeMayRun: true,
		ServingURL: servingURL(c.Database), Tell: p.tell}
	defer s.Close()
	err := errors.Join(s.Run(ctx, doctor.MachineChecks), c.checkDatabase(ctx, &s, p))
	if err != nil { // the checks have printed their findings
		return errors.New("a check failed")
	}
	return nil
}

func (p Stdio) tell(v doctor.Verdict, check, message string) {
	fmt.Fprintln(p.Stdout, strings.TrimSpace(fmt.Sprintf("%-8s %-12s %s", v, check, message)))
}

func (c doctorCmd) checkDatabase(ctx context.Context, s *doctor.Installation, p Stdio) error {
	db, err := connect(ctx, c.Database, false, p.log)
	if err != nil {
		s.Tell(doctor.Failure, "database", err.Error())
		return err
	}
	defer db.release()
	s.ServingURL = db.servingURL
	return s.Run(ctx, doctor.ServerChecks, doctor.SchemaChecks, doctor.ServingChecks)
}

// healthCmd is `dg health`, for container images without curl.
type healthCmd struct{ config.Address }

const healthTimeout = 5 * time.Second

func (c healthCmd) Run(ctx context.Context, p Stdio) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return fmt.Errorf("DG_ADDR: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, text, err := doctor.Get(ctx, net.JoinHostPort(cmp.Or(host, "localhost"), port)+"/readyz")
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("not ready: %d: %s", status, text)
	}
	return p.print("%s\n", strings.TrimSpace(text))
}
