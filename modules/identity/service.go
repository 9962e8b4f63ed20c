package identity

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
	"dg/platform/limit"
	"dg/platform/netaddr"
	"dg/platform/postgres"
)

// Service manages the accounts of people and their sessions.
type Service struct {
	db        *postgres.DB
	now       func() time.Time
	recorder  Recorder
	passwords *hasher
	slots     *limit.Limiter // limits sign-ins and other password checks
	keyring   Keyring
}

// maxSignIns bounds the concurrent sign-ins, and so the connections that they hold.
const maxSignIns = 4

// New returns the service over db. keyring encrypts the secrets of two-step verification.
func New(db *postgres.DB, now func() time.Time, recorder Recorder, keyring Keyring) *Service {
	return &Service{
		db:        db,
		now:       now,
		recorder:  recorder,
		passwords: newHasher(hashCost),
		keyring:   keyring,
		slots: limit.New(limit.Options{
			Max:         maxSignIns,
			PerKey:      maxSignIns / 2,
			PerSite:     maxSignIns - 1,
			SiteOf:      netaddr.SiteText,
			BusyMessage: "Too many people are signing in at once.",
		}),
	}
}

// Limiters returns the limiters, keyed by their names in metrics.
func (s *Service) Limiters() map[string]*limit.Limiter {
	return map[string]*limit.Limiter{"sign_ins": s.slots}
}

// networkOf returns the key of a slot: the client's IPv4 address or IPv6 /64.
func networkOf(ctx context.Context) string { return netaddr.ClientText(requestOf(ctx).Address) }

func (s *Service) clock() time.Time { return instant(s.now()) }

// instant returns t in UTC with the precision of the columns.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Recorder writes changes of an account to the audit logs of the person's organisations, and
// sign-ins, failures and locks to the program's log.
type Recorder struct {
	// OrganisationIDsOf returns the ids of the person's organisations, read in tx.
	OrganisationIDsOf func(tx transaction, personID string) ([]string, error)
	Audit             *audit.Log
	Log               *slog.Logger
	OnFailedSignIn    func(reason string) // reason is one of FailureReasons
}

const (
	reasonUnknownEmail  = "unknown_email"
	reasonWrongPassword = "wrong_password"
	reasonWrongCode     = "wrong_code"
	reasonLocked        = "locked"
)

// FailureReasons are the possible arguments of OnFailedSignIn.
var FailureReasons = []string{reasonUnknownEmail, reasonWrongPassword, reasonWrongCode, reasonLocked}

type requestKey struct{}

// WithRequest adds the request to ctx, for limits by network and for both logs.
func WithRequest(ctx context.Context, r audit.Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

func requestOf(ctx context.Context) audit.Request {
	r, _ := ctx.Value(requestKey{}).(audit.Request)
	return r
}

func (r Recorder) record(tx transaction, person Person, e audit.Entry) error {
	e.Actor = cmp.Or(e.Actor, audit.Actor{Kind: audit.Person, ID: person.ID, Name: person.Name})
	e.Target = audit.Target{Kind: "person", ID: person.ID}
	e.Request = requestOf(tx.Statement.Context)
	organisationIDs, err := r.OrganisationIDsOf(tx, person.ID)
	if err == nil {
		err = r.Audit.AppendToAll(tx, organisationIDs, e)
	}
	if err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The audit log cannot be written at the moment, so nothing was changed. Try again in a moment.")
	}
	return nil
}

// logSignIn does not log e-mails, because people may type passwords into that field.
func (r Recorder) logSignIn(
	ctx context.Context, level slog.Level, message string, person Person, attrs ...any,
) {
	request := requestOf(ctx)
	r.Log.Log(ctx, level, message,
		append(attrs, "person_id", person.ID, "client", request.Address, "request_id", request.ID)...)
}

// recordFailedAttempt logs and counts wrong attempts and locks. It ignores other errors and nil.
func (r Recorder) recordFailedAttempt(ctx context.Context, person Person, err error) {
	var reason string
	var attrs []any
	locked, isLocked := errors.AsType[*LockedError](err)
	switch {
	case isLocked:
		reason = reasonLocked
		attrs = []any{"until", locked.Until.UTC()}
	case errors.Is(err, ErrWrongCode):
		reason = reasonWrongCode
	case errors.Is(err, ErrWrongPassword) && person.ID == "":
		reason = reasonUnknownEmail
	case errors.Is(err, ErrWrongPassword):
		reason = reasonWrongPassword
	default:
		return
	}
	r.logSignIn(ctx, slog.LevelWarn, "sign-in failed", person, append(attrs, "reason", reason)...)
	r.OnFailedSignIn(reason)
}
