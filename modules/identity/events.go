package identity

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"dg/modules/audit"
	"dg/modules/identity/throttle"
	"dg/platform/apperr"
)

// Auditor adds security events to the log of each organisation that the person belongs to at that
// moment.
type Auditor struct {
	Memberships  memberships
	Log          *audit.Log
	UnknownEmail func() // counts failed sign-ins with an unknown e-mail, which belong to no log
}

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

// maxEntries bounds the entries of an action and account in a minute. Further ones are counted.
const maxEntries = 20

// event is what happened to the sign-in of a person.
type event struct {
	actor   audit.Actor // the zero value is the person
	action  audit.Action
	reason  audit.Reason
	details map[string]any
}

// recorder records the events of sign-ins.
type recorder struct {
	*store
	auditor Auditor
	log     *slog.Logger // of what could not be recorded
}

// record adds an event of the person in the transaction of its change.
// Errors: apperr.Unavailable.
func (r *recorder) record(tx transaction, of Person, e event) error {
	if err := r.append(tx, of, e); err != nil {
		return apperr.Wrap(apperr.Unavailable, err,
			"The audit log cannot be written at the moment, so nothing was changed. Try again in a moment.")
	}
	return nil
}

func (r *recorder) append(tx transaction, of Person, e event) error {
	// The same statements run for an unknown e-mail, so that the response time reveals nothing.
	organisations, err := r.auditor.Memberships.OrganisationsOf(tx,
		cmp.Or(of.ID, uuid.Nil.String()))
	if err != nil {
		return err
	}
	add := r.auditor.Log.AppendToAll
	individually, err := takeEntry(tx, e.action, EmailKey(of.Email), r.clock())
	if err != nil {
		return err
	}
	if !individually {
		add = r.auditor.Log.CountInAll
	}
	return add(tx, organisations, audit.Entry{
		Actor:   cmp.Or(e.actor, audit.Actor{Kind: audit.Person, ID: of.ID, Name: of.Name}),
		Target:  audit.Target{Kind: "person", ID: of.ID},
		Action:  e.action,
		Reason:  e.reason,
		Details: e.details,
		Request: requestOf(tx.Statement.Context),
	})
}

// recordFailure records a failed sign-in and the lock that it started, if any; other errors it
// ignores. If recording fails it logs, and the answer stays that of a failed sign-in.
func (r *recorder) recordFailure(
	ctx context.Context, of Person, err error, lockedUntil *time.Time,
) {
	reason := failureReason(err)
	if reason == "" {
		return
	}
	if of.ID == "" {
		r.auditor.UnknownEmail()
	}
	err = r.inTransaction(ctx, func(tx transaction) error {
		if err := r.record(tx, of, event{action: audit.SignInFailed, reason: reason}); err != nil {
			return err
		}
		if lockedUntil != nil {
			until := map[string]any{"until": lockedUntil.UTC().Format(time.RFC3339)}
			if err := r.record(tx, of,
				event{action: audit.SignInLocked, details: until}); err != nil {
				return err
			}
		}
		if of.ID == "" {
			return flushWAL(tx)
		}
		return nil
	})
	if err != nil {
		r.log.ErrorContext(ctx, "a failed sign-in could not be recorded in the audit log", "reason",
			reason, "error", err)
	}
}

// failureReason returns the reason of a failed sign-in, or "" for another error.
func failureReason(err error) audit.Reason {
	var locked *throttle.LockedError
	switch {
	case errors.Is(err, ErrWrongPassword):
		return audit.WrongPassword
	case errors.Is(err, ErrWrongCode):
		return audit.WrongCode
	case errors.As(err, &locked):
		return audit.Locked
	}
	return ""
}

// takeEntry reports whether an event gets its own entry. In a flood it reads the count without
// waiting for the row's lock.
func takeEntry(tx transaction, action audit.Action, account string, now time.Time) (bool, error) {
	l := throttle.New(string(action), account, maxEntries, time.Minute)
	err := throttle.Check(tx, []throttle.Limit{l}, now)
	if _, reached := errors.AsType[*throttle.LockedError](err); reached {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, ok, err := l.Take(tx, now)
	return ok, err
}

// flushWAL writes WAL, so that the time of a commit does not reveal whether entries were added. By
// hand: the statement has no table.
func flushWAL(tx transaction) error {
	err := tx.Scopes(ofPeople).
		Exec(`/* identity.flushWAL */ select pg_logical_emit_message(true, 'dg', '')`).Error
	return apperr.Annotate(err, "identity: flush")
}
