package apikeys

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// errInvalidKey is the answer to an unknown id and to a wrong secret.
var errInvalidKey = apperr.New(apperr.AuthRequired,
	"Invalid API key. Copy the whole key again, or create another one in the organisation's settings.")

const (
	expiredMessage   = "This API key expired on %s. Create another one in the organisation's settings."
	revokedMessage   = "This API key was revoked on %s. Create another one in the organisation's settings."
	belowPlanMessage = "This API key needs the Pro plan. It works again when the organisation " +
		"moves to Pro or Enterprise."

	tooManyRejections = "Too many refused requests with this key: %s. Waiting alone does not " +
		"help; retry in %d seconds."

	notRecorded = "The use of this key could not be recorded in the audit log, so the request " +
		"was not answered. Retry in a few seconds."
)

// rejectionCauses are the causes in tooManyRejections. As in rejection, only a right secret reveals
// the state of the key.
var rejectionCauses = map[audit.Reason]string{
	audit.WrongSecret: "the secret is wrong. Copy the whole key again",
	audit.Revoked:     "it was revoked. Use another key",
	audit.Expired:     "it has expired. Use another key",
	audit.BelowPlan:   "it needs the Pro plan. Move the organisation to Pro or Enterprise",
	audit.OutsideAPI:  "the path is outside /api/v1/. Correct the path",
}

// rejection is the answer to a rejected key. The statement compares the secret first, so that only a
// caller with the right secret learns the reason.
func (r authResult) rejection() error {
	switch {
	case r.reason == audit.Revoked && r.revokedAt != nil:
		return apperr.New(apperr.AuthRequired, revokedMessage, formatInstant(*r.revokedAt))
	case r.reason == audit.Expired && r.expiresAt != nil:
		return apperr.New(apperr.AuthRequired, expiredMessage, formatInstant(*r.expiresAt))
	case r.reason == audit.BelowPlan:
		return apperr.New(apperr.AuthRequired, belowPlanMessage)
	}
	return errInvalidKey
}

func formatInstant(at time.Time) string { return at.UTC().Format("2006-01-02 at 15:04 UTC") }

// Refuse records a forbidden use of an authenticated key and returns answer. The key's usage counts
// it as refused, not accepted.
// Errors: answer, apperr.Unavailable when it could not be recorded.
func (a *Authenticator) Refuse(
	ctx context.Context, c Caller, reason audit.Reason, target audit.Target, request audit.Request,
	answer error,
) error {
	a.counter.recount(c)
	return a.recordRefusal(ctx, c, reason, target, request, answer)
}

// recordRefusal adds the audit entry of a refusal. No other function does.
func (a *Authenticator) recordRefusal(
	ctx context.Context, c Caller, reason audit.Reason, target audit.Target, request audit.Request,
	answer error,
) error {
	entry := c.refusal(reason)
	entry.Target = target
	entry.Request = request
	if err := a.log.Append(ctx, entry); err != nil {
		return apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	return answer
}

// RefuseOutside refuses a key, in any state, outside of /api/v1/, and records it if the id is known.
// The id of an unreadable token is "".
//
// Errors, always one: answer, apperr.RateLimited over the limit of refused requests, or
// apperr.Unavailable.
func (a *Authenticator) RefuseOutside(
	ctx context.Context, id string, request audit.Request, answer error,
) error {
	var result authResult
	if id != "" {
		var err error
		if result, err = a.authenticate(ctx, id, nil, true); err != nil {
			return err
		}
	}
	if !result.known {
		a.onUnknownKey()
		return answer
	}
	return a.reject(ctx, result, request, answer)
}

// reject records a rejected request or, over the limit of these, counts it.
func (a *Authenticator) reject(
	ctx context.Context, r authResult, request audit.Request, answer error,
) error {
	a.counter.count(r.Caller, refused)
	if !r.limited {
		return a.recordRefusal(ctx, r.Caller, r.reason, audit.Target{Kind: "api_key", ID: r.KeyID},
			request, answer)
	}
	if err := a.log.Count(ctx, r.refusal(r.reason)); err != nil {
		return apperr.Wrap(apperr.Unavailable, err, notRecorded)
	}
	return newRateLimitError(r.retryAfter, tooManyRejections, rejectionCauses[r.reason],
		r.retryAfter)
}

func (c Caller) refusal(reason audit.Reason) audit.Entry {
	return audit.Entry{
		OrganisationID: c.OrganisationID,
		Actor:          c.Actor(),
		Action:         audit.KeyRefused,
		Reason:         reason,
	}
}

func newRateLimitError(wait int, format string, args ...any) error {
	e := apperr.New(apperr.RateLimited, format, args...)
	e.RetryAfter = wait
	return e
}
