package identity

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

// EventKind is what happened to a person's sign-in.
type EventKind string

// The security events (decisions, "Audit").
const (
	SignedIn              EventKind = "sign_in"
	SignInFailed          EventKind = "sign_in.failed" // also where a password or code is asked for within a session
	SignInLocked          EventKind = "sign_in.locked"
	TwoStepTurnedOn       EventKind = "two_step.turned_on"
	TwoStepTurnedOff      EventKind = "two_step.turned_off"
	RecoveryCodeUsed      EventKind = "recovery_code.used"
	RecoveryCodesReplaced EventKind = "recovery_codes.replaced"
	PasswordChanged       EventKind = "password.changed"
	PasswordReset         EventKind = "password.reset"
	SessionsEnded         EventKind = "sessions.ended"
)

// EventKinds are all of them.
var EventKinds = []EventKind{
	SignedIn, SignInFailed, SignInLocked, TwoStepTurnedOn, TwoStepTurnedOff, RecoveryCodeUsed, RecoveryCodesReplaced,
	PasswordChanged, PasswordReset, SessionsEnded,
}

// Failure is why a sign-in failed.
type Failure string

// The reasons of SignInFailed.
const (
	FailedPassword Failure = "wrong_password"
	FailedCode     Failure = "wrong_code"
	FailedLocked   Failure = "locked" // nothing was compared: there had been too many wrong ones
)

// Failures are all of them.
var Failures = []Failure{FailedPassword, FailedCode, FailedLocked}

// Event is what happened to the sign-in of a person, for the log of each organisation that the person belongs to.
type Event struct {
	Kind             EventKind
	PersonID, Person string // the id and the name, or "": an e-mail that nobody has, which no log can hold
	Failure          Failure
	Details          map[string]any
	Request          Request
}

// Events is where security events go. The program implements it with the modules that own memberships and logs.
type Events interface {
	// Record adds the event to the log of each organisation that the person belongs to, in the transaction, so that it
	// commits with what it is about.
	Record(ctx context.Context, tx pgx.Tx, e Event) error
	// Count adds to how many such events were not recorded one by one, for each log.
	Count(ctx context.Context, tx pgx.Tx, e Event) error
}

// Request is the HTTP request that a call comes from, as an organisation's log keeps it.
type Request struct{ Method, Path, Address, UserAgent, ID string }

type requestKey struct{}

// WithRequest returns a context that names the request. It is no argument of each method, since nothing but the entry of
// an event depends on it.
func WithRequest(ctx context.Context, r Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestOf(ctx context.Context) Request {
	r, _ := ctx.Value(requestKey{}).(Request)
	return r
}

// record adds an event of the person in the transaction of what it is about: either both are kept, or neither.
// Errors: ErrUnavailable.
func (s *Service) record(ctx context.Context, tx pgx.Tx, of Person, kind EventKind) error {
	return s.add(ctx, tx, of, kind, s.events.Record)
}

// recordSignIn is record for a sign-in. Who signs in over and over does not fill the log: those beyond maxOneByOne in a
// minute are counted. Errors: ErrUnavailable.
func (s *Service) recordSignIn(ctx context.Context, tx pgx.Tx, of Person) error {
	alone, err := oneByOne(ctx, tx, "sign-ins", of.ID, s.clock())
	if err != nil {
		return err
	}
	if !alone {
		return s.add(ctx, tx, of, SignedIn, s.events.Count)
	}
	return s.record(ctx, tx, of, SignedIn)
}

func (s *Service) add(ctx context.Context, tx pgx.Tx, of Person, kind EventKind, add func(context.Context, pgx.Tx, Event) error) error {
	err := add(ctx, tx, Event{Kind: kind, PersonID: of.ID, Person: of.Name, Request: requestOf(ctx)})
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err, "This could not be recorded in the audit log, so it was not done. Try again in a moment.")
	}
	return nil
}
