package apikeys

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// UnknownKey is the reason to reject an unknown id. Only metrics have it, because no organisation
// owns the id.
const UnknownKey audit.Reason = "unknown_key"

// errInvalidKey hides whether the id is unknown or the secret is wrong.
var errInvalidKey = apperr.New(apperr.AuthRequired,
	"Invalid API key. Copy the whole key again, or create another one in the organisation's settings.")

// rejection returns the error for the caller. authenticate.sql checks the secret first, so that only
// a caller with the correct secret learns another reason.
func (r authResult) rejection() error {
	switch {
	case r.reason == audit.Revoked && r.revokedAt != nil:
		return apperr.New(apperr.AuthRequired, "This API key was revoked on %s. "+
			"Create another one in the organisation's settings.", formatMinute(*r.revokedAt))
	case r.reason == audit.Expired && r.expiresAt != nil:
		return apperr.New(apperr.AuthRequired, "This API key expired on %s. "+
			"Create another one in the organisation's settings.", formatMinute(*r.expiresAt))
	case r.reason == audit.BelowPlan:
		return apperr.New(apperr.AuthRequired, "This API key needs the Pro plan. "+
			"It works again when the organisation moves to Pro or Enterprise.")
	}
	return errInvalidKey
}

func formatMinute(at time.Time) string { return at.UTC().Format("2006-01-02 at 15:04 UTC") }

// Refuse records a forbidden use of an authenticated key. It moves the request from the accepted to
// the refused ones. It returns refusal, or apperr.Unavailable when the use could not be recorded.
func (s *Service) Refuse(
	ctx context.Context, c Caller, reason audit.Reason, target audit.Target, request audit.Request,
	refusal error,
) error {
	s.UsageCounter.add(usageKey{c.OrganisationID, c.Actor.ID, c.countedOn},
		counts{accepted: -1, refused: 1})
	entry := c.refusalEntry(reason)
	entry.Target = target
	entry.Request = request
	return s.finishRefusal(reason, s.auditLog.Append(ctx, entry), refusal)
}

// RefuseOutsideAPI refuses a key outside /api/v1/, whatever its state. It records the refusal if
// the id is known. id is "" for a malformed token. It returns refusal, apperr.RateLimited with
// RetryAfter above the limit of rejected requests, apperr.Unavailable when the refusal could not be
// recorded, or context.DeadlineExceeded when the request could not be counted.
func (s *Service) RefuseOutsideAPI(
	ctx context.Context, id string, request audit.Request, refusal error,
) error {
	var result authResult
	if id != "" {
		var err error
		if result, err = s.authenticate(ctx, id, nil, true); err != nil {
			return err
		}
	}
	if result.Actor.ID == "" {
		s.OnRefusal(UnknownKey)
		return refusal
	}
	return s.reject(ctx, result, request, refusal)
}

// reject records the rejection and returns refusal. Above the limit of rejected requests it only
// counts the rejection, and returns apperr.RateLimited.
func (s *Service) reject(
	ctx context.Context, r authResult, request audit.Request, refusal error,
) error {
	s.UsageCounter.addToday(r.Caller, counts{refused: 1})
	entry := r.refusalEntry(r.reason)
	if !r.rateLimited {
		entry.Target = audit.Target{Kind: "api_key", ID: r.Actor.ID}
		entry.Request = request
		return s.finishRefusal(r.reason, s.auditLog.Append(ctx, entry), refusal)
	}
	return s.finishRefusal(r.reason, s.auditLog.CountRefusal(ctx, entry),
		newRateLimitError(r.retryAfter, "Too many refused requests with this key. Waiting alone does "+
			"not help: correct the key or the path, and retry in %d seconds.", r.retryAfter))
}

func (s *Service) finishRefusal(reason audit.Reason, recordErr, refusal error) error {
	if recordErr != nil {
		return apperr.Wrap(apperr.Unavailable, recordErr, "The use of this key could not be recorded in "+
			"the audit log, so the request was not answered. Retry in a few seconds.")
	}
	s.OnRefusal(reason)
	return refusal
}

func (c Caller) refusalEntry(reason audit.Reason) audit.Entry {
	return audit.Entry{
		OrganisationID: c.OrganisationID,
		Actor:          c.Actor,
		Action:         audit.KeyRefused,
		Reason:         reason,
	}
}

func newRateLimitError(retryAfter int, format string, args ...any) error {
	e := apperr.New(apperr.RateLimited, format, args...)
	e.RetryAfter = retryAfter
	return e
}
