package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dg/app/doctor"
	"dg/platform/config"
	"dg/platform/embeddedpg"
)

type doctorCmd struct{ config.Serve }

const doctorTimeout = time.Minute // of all checks together

func (c doctorCmd) Run(ctx context.Context, p Stdio) error {
	ctx, stop := context.WithTimeout(ctx, doctorTimeout)
	defer stop()
	s := doctor.Installation{Serve: c.Serve, Unknown: p.unknown, URL: servingURL(c.Database),
		Logger: p.log}
	defer s.Close()
	findings := s.Run(ctx, doctor.Machine)
	if !c.Embedded() || embeddedpg.HasData(c.DataDir) {
		findings = append(findings, c.checkDatabase(ctx, &s)...)
	}
	for _, f := range findings {
		line := fmt.Sprintf("%-8s %-12s %s", f.Verdict, f.Check, f.Says)
		fmt.Fprintln(p.Stdout, strings.TrimSpace(line))
	}
	if slices.ContainsFunc(findings, doctor.Finding.Fails) {
		return errors.New("a check failed")
	}
	return nil
}

func (c doctorCmd) checkDatabase(ctx context.Context, s *doctor.Installation) []doctor.Finding {
	db, err := connect(ctx, c.Database, false, s.Logger)
	if err != nil {
		return []doctor.Finding{{Check: "database", Verdict: doctor.Failure, Says: err.Error()}}
	}
	defer db.release()
	s.URL = db.servingURL
	return s.Run(ctx, doctor.Server, doctor.Schema, doctor.Serving)
}
