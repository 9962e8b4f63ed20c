package identity

import (
	"context"
	"time"

	"dg/modules/audit"
	"dg/platform/limiter"
	"dg/platform/netaddr"
)

// The bounds of what is stored of a client, in bytes.
const (
	maxAddress   = 64
	maxUserAgent = 256
)

// SignIn begins a session for the person with the e-mail and the password. With two-step
// verification on, the session has SecondStepDue until VerifySecondStep. The browser's previous
// session, also another person's, ends with it: a planted token is never one that is signed in.
//
// An unknown e-mail, a person without a password and a wrong password get the same answer after the
// same time, and are counted alike.
//
// Errors: ErrWrongPassword; a LockedError after too many of them, for a right password too;
// apperr.Unavailable when the sign-in cannot be recorded, or too many people sign in at once.
func (s *Service) SignIn(
	ctx context.Context, email, password string, from Client,
) (Session, error) {
	ctx, lease, err := s.admit(ctx, from.Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	if err := s.sweep(ctx, s.clock()); err != nil {
		return Session{}, err
	}
	who, err := s.credentials(ctx, email, from.Browser, s.clock())
	if err != nil {
		return Session{}, err
	}
	limits := signInLimits(who, from)
	if err := s.verifyPassword(ctx, who, limits, password); err != nil {
		return Session{}, err
	}
	client := sessionClient{
		address:   audit.Sanitise(from.Address, maxAddress),
		userAgent: audit.Sanitise(from.UserAgent, maxUserAgent),
		ends:      from.Session,
	}
	if who.knownBrowser {
		client.browser = hashToken(from.Browser)
	}
	session, err := s.begin(ctx, who, limits, client, s.clock())
	if err != nil {
		s.recordFailure(ctx, who.Person, err, nil)
	}
	return session, err
}

// admit waits for a slot before the first query, so that a flood of sign-ins does not hold
// connections. Networks are served fairly. The statements of the returned context do not queue with
// unknown credentials. The caller releases the lease.
//
// Errors: apperr.Unavailable with RetryAfter after five seconds, or when too many of the network
// wait.
func (s *Service) admit(
	ctx context.Context, address string,
) (context.Context, *limiter.Lease, error) {
	from := netaddr.ClientText(address)
	lease, err := s.signIns.Acquire(ctx, limiter.Request{OrganisationID: from})
	return limiter.WithTenant(ctx, "sign-ins from "+from), lease, err
}

// verifyPassword returns nil for the person's password, and counts and records any other. It
// compares none while one of the limits is reached.
func (s *Service) verifyPassword(
	ctx context.Context, who credentials, limits []attemptLimit, password string,
) error {
	if err := checkLimits(s.gorm(ctx), limits, s.clock()); err != nil {
		s.recordFailure(ctx, who.Person, err, nil)
		return err
	}
	hash := who.passwordHash
	if len(password) > maxPassword { // nobody's: bounds what it costs to hash
		hash = nil
		password = ""
	}
	matches, err := s.passwords.matches(ctx, hash, normalise(password))
	if err != nil || matches {
		return err
	}
	lockedUntil, err := s.countFailure(ctx, limits, s.clock())
	if err == nil {
		err = ErrWrongPassword
	}
	s.recordFailure(ctx, who.Person, err, lockedUntil)
	return err
}

// Proof re-authenticates a person before a change of how they sign in, so that a stolen session
// changes nothing: the current password and, with two-step verification on, a code or a recovery
// code.
type Proof struct{ Password, Code string }

// reauthenticated runs fn for the session's person once the password of the proof is verified;
// prepare runs in between, outside of the transaction, and may be nil. fn takes the code.
//
// Errors: ErrNoSession, ErrWrongPassword, a LockedError, apperr.Unavailable when too many people
// sign in at once, and those of prepare and fn.
func (s *Service) reauthenticated(
	ctx context.Context, token string, proof Proof, prepare func(credentials) error, fn change,
) (Session, error) {
	address := requestOf(ctx).Address
	ctx, lease, err := s.admit(ctx, address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	who, err := s.sessionCredentials(ctx, token, s.clock())
	if err != nil {
		return Session{}, err
	}
	limits := sessionLimits(who, token, address)
	if err := s.verifyPassword(ctx, who, limits, proof.Password); err != nil {
		return Session{}, err
	}
	if prepare != nil {
		if err := prepare(who); err != nil {
			return Session{}, err
		}
	}
	// The password is still the verified one: a change of it would have ended the session.
	return s.withPersonLocked(ctx, token, false,
		func(tx transaction, in *lockedSession, now time.Time) error {
			if err := clearFailures(tx, limits, now); err != nil {
				return err
			}
			return fn(tx, in, now)
		})
}
