package commands

import (
	"context"
	"fmt"
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
	s := doctor.Installation{Serve: c.Serve, Unknown: p.unknown, InUse: doctor.Warning,
		URL: servingURL(c.Database), Logger: p.log}
	defer s.Close()
	findings := s.Run(ctx, doctor.Machine)
	if c.Embedded() && embeddedpg.HasData(c.DataDir) {
		db, err := connect(ctx, c.Database, false, p.log)
		if err != nil {
			findings = append(findings, doctor.Finding{Check: "database", Verdict: doctor.Failure,
				Says: err.Error(), Fix: "See postgres.log in the data folder."})
		} else {
			defer db.release()
			s.URL = db.servingURL
		}
	}
	findings = append(findings, s.Run(ctx, doctor.Server, doctor.Schema, doctor.Serving)...)
	if failures := doctor.Print(p.Stdout, findings); failures > 0 {
		return fmt.Errorf("%d of %d checks failed", failures, len(findings))
	}
	return nil
}
