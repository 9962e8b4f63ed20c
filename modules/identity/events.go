package identity

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"dg/modules/audit"
	"dg/modules/identity/throttle"
	"dg/platform/apperr"
)

// Auditor adds changes of a person's security to the log of each organisation that the person
// belongs to at that moment.
type Auditor struct {
	Memberships memberships
	Log         *audit.Log
	Failed      func(reason string) // counts failed sign-ins by one of FailureReasons
}

// Why a sign-in failed.
const (
	unknownEmail    = "unknown_email"
	reasonPassword  = "wrong_password"
	reasonCode      = "wrong_code"
	reasonManyWrong = "locked"
)

// FailureReasons are all reasons of failed sign-ins.
var FailureReasons = []string{unknownEmail, reasonPassword, reasonCode, reasonManyWrong}

type memberships interface {
	// OrganisationsOf returns the ids of the person's organisations, as the transaction sees them.
	OrganisationsOf(tx transaction, personID string) ([]string, error)
	// OrganisationNamesOf returns the names of the person's organisations, which a new password may
	// not be made of.
	OrganisationNamesOf(ctx context.Context, personID string) ([]string, error)
}

type requestKey struct{}

// WithRequest returns a context that carries the HTTP request: only audit entries depend on it.
func WithRequest(ctx context.Context, r audit.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestOf(ctx context.Context) audit.Request {
	r, _ := ctx.Value(requestKey{}).(audit.Request)
	return r
}

// event is a change of a person's security.
type event struct {
	actor   audit.Actor // the zero value is the person
	action  audit.Action
	details map[string]any
}

// record adds an event of the person in the transaction of its change.
// Errors: apperr.Unavailable.
func (s *Service) record(tx transaction, of Person, e event) error {
	if err := s.append(tx, of, e); err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The audit log cannot be written at the moment, so nothing was changed. Try again in a moment.")
	}
	return nil
}

func (s *Service) append(tx transaction, of Person, e event) error {
	organisations, err := s.auditor.Memberships.OrganisationsOf(tx, of.ID)
	if err != nil {
		return err
	}
	return s.auditor.Log.AppendToAll(tx, organisations, audit.Entry{
		Actor:   cmp.Or(e.actor, audit.Actor{Kind: audit.Person, ID: of.ID, Name: of.Name}),
		Target:  audit.Target{Kind: "person", ID: of.ID},
		Action:  e.action,
		Details: e.details,
		Request: requestOf(tx.Statement.Context),
	})
}

// logSignIn logs a sign-in. An unknown e-mail is not logged: people type passwords there.
func (s *Service) logSignIn(ctx context.Context, level slog.Level, what string, of Person,
	more ...any) {
	from := requestOf(ctx)
	s.log.Log(ctx, level, what,
		append(more, "person_id", of.ID, "client", from.Address, "request_id", from.ID)...)
}

// logFailure logs and counts a failed sign-in and the lock that it started, if any; other errors
// it ignores.
func (s *Service) logFailure(ctx context.Context, of Person, err error, lockedUntil *time.Time) {
	reason := failureReason(err)
	if reason == "" {
		return
	}
	s.logSignIn(ctx, slog.LevelWarn, "sign-in failed", of, "reason", reason)
	if lockedUntil != nil {
		s.logSignIn(ctx, slog.LevelWarn, "sign-in locked", of, "until", lockedUntil.UTC())
	}
	if of.ID == "" && reason == reasonPassword {
		reason = unknownEmail
	}
	s.auditor.Failed(reason)
}

// failureReason returns the reason of a failed sign-in, or "" for another error.
func failureReason(err error) string {
	var locked *throttle.LockedError
	switch {
	case errors.Is(err, ErrWrongPassword):
		return reasonPassword
	case errors.Is(err, ErrWrongCode):
		return reasonCode
	case errors.As(err, &locked):
		return reasonManyWrong
	}
	return ""
}
