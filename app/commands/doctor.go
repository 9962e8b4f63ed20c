package commands

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"dg/app/doctor"
	"dg/platform/config"
)

type doctorCmd struct{ config.Serve }

const doctorTimeout = time.Minute // bounds all checks together

func (c doctorCmd) Run(ctx context.Context, stdio Stdio) error {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	installation := doctor.Installation{Serve: c.Serve, UnknownVariables: stdio.unknownVariables, RunByDoctor: true,
		OnResult: stdio.printResult}
	defer installation.Close()
	err := errors.Join(installation.Run(ctx, doctor.MachineChecks), c.checkDatabase(ctx, &installation, stdio))
	if err != nil { // the checks have printed their findings
		return errors.New("a check failed")
	}
	return nil
}

func (stdio Stdio) printResult(v doctor.Verdict, check, message string) {
	fmt.Fprintln(stdio.Stdout, strings.TrimSpace(fmt.Sprintf("%-8s %-12s %s", v, check, message)))
}

func (c doctorCmd) checkDatabase(ctx context.Context, installation *doctor.Installation, stdio Stdio) error {
	db, err := connect(ctx, c.Database, false, stdio.log)
	if err != nil {
		installation.OnResult(doctor.Failure, "database", err.Error())
		return err
	}
	defer db.release()
	installation.ServingURL = db.servingURL
	return installation.Run(ctx, doctor.ServerChecks, doctor.SchemaChecks, doctor.ServingChecks)
}

// healthCmd is `dg health`, for container images without curl.
type healthCmd struct{ config.Address }

const healthTimeout = 5 * time.Second

func (c healthCmd) Run(ctx context.Context, stdio Stdio) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	status, text, err := doctor.GetLocal(ctx, c.Addr, "/readyz")
	if err != nil {
		return fmt.Errorf("DG_ADDR %s: %w", c.Addr, err)
	}
	if status != http.StatusOK {
		return fmt.Errorf("not ready: %d: %s", status, text)
	}
	return stdio.print("%s\n", strings.TrimSpace(text))
}
