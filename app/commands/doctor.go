package commands

import (
	"context"
	"errors"
	"fmt"
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
	s := doctor.Installation{Serve: c.Serve, Unknown: p.unknown, ServeMayRun: true,
		ServingURL: servingURL(c.Database), Tell: p.tell}
	defer s.Close()
	err := s.Run(ctx, doctor.Machine)
	if !c.Embedded() || embeddedpg.HasData(c.DataDir) {
		err = errors.Join(err, c.checkDatabase(ctx, &s, p))
	}
	if err != nil { // each is printed
		return errors.New("a check failed")
	}
	return nil
}

func (p Stdio) tell(v doctor.Verdict, check, says string) {
	fmt.Fprintln(p.Stdout, strings.TrimSpace(fmt.Sprintf("%-8s %-12s %s", v, check, says)))
}

func (c doctorCmd) checkDatabase(ctx context.Context, s *doctor.Installation, p Stdio) error {
	db, err := connect(ctx, c.Database, false, p.log)
	if err != nil {
		s.Tell(doctor.Failure, "database", err.Error())
		return err
	}
	defer db.release()
	s.ServingURL = db.servingURL
	return s.Run(ctx, doctor.Server, doctor.Schema, doctor.Serving)
}
