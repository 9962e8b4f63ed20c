package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// The bounds of sessions.
const (
	idleTimeout       = 12 * time.Hour
	absoluteTimeout   = 24 * time.Hour
	secondStepTimeout = 10 * time.Minute
	touchInterval     = time.Minute // between two writes of a session's last use, at least
	maxSessions       = 100         // of a person
)

// ErrNoSession says that the token's session is unknown or has ended.
var ErrNoSession = apperr.New(apperr.AuthRequired,
	"You are not signed in, or your session has ended. Sign in again.")

// Session is a browser's session. With SecondStepDue it is not signed in yet: the code of two-step
// verification is missing.
type Session struct {
	Person        Person
	Token         string // the cookie's value: a secret
	StartedAt     time.Time
	SecondStepDue bool
	// the primary's LSN after the request began: replicas behind it are not read; zero: none is read
	Position postgres.Position
}

// Session returns the session of the token and stores its use, at most once a minute. Errors:
// ErrNoSession.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	now := s.clock()
	row, err := s.session(s.gorm(ctx), token, now)
	if err != nil {
		return Session{}, err
	}
	session := Session{
		Person:        row.User.person(),
		Token:         token,
		StartedAt:     row.CreatedAt,
		SecondStepDue: row.SecondStepDue,
		Position:      row.Position,
	}
	if !session.SecondStepDue && now.Sub(row.LastUsedAt) >= touchInterval {
		err = touch(s.gorm(ctx), session, now)
	}
	if err != nil {
		return Session{}, err
	}
	return session, nil
}

// SignOut ends the session of the token, if there is one.
func (s *Service) SignOut(ctx context.Context, token string) error {
	_, err := endSession(s.gorm(ctx), token)
	return err
}

// SignOutEverywhere ends all sessions of the person, this one too. Errors: ErrNoSession.
func (s *Service) SignOutEverywhere(ctx context.Context, token string) error {
	own, err := s.signedIn(ctx, token)
	if err != nil {
		return err
	}
	_, err = deleteRows(s.gorm(ctx), "identity.signOutEverywhere", &sessionRow{}, "user_id = ?", own.UserID)
	return err
}

// signedIn returns the session of the token if no code is due. Errors: ErrNoSession.
func (s *Service) signedIn(ctx context.Context, token string) (sessionRow, error) {
	row, err := s.session(s.gorm(ctx), token, s.clock())
	if err == nil && row.SecondStepDue {
		err = ErrNoSession
	}
	return row, err
}

// expiry returns the earlier of the idle and the absolute timeout. A session that waits for its
// second step has a fixed one.
func (s Session) expiry(lastUsed time.Time) time.Time {
	if s.SecondStepDue {
		return s.StartedAt.Add(secondStepTimeout)
	}
	return slices.MinFunc([]time.Time{lastUsed.Add(idleTimeout), s.StartedAt.Add(absoluteTimeout)},
		time.Time.Compare)
}

// newToken returns 256 random bits, so that an unsalted SHA-256 is enough to store them.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashToken(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}
