package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"time"

	"dg/platform/apperr"
)

// How long a session lasts.
const (
	maxIdle    = 12 * time.Hour
	maxSession = 24 * time.Hour
	// maxSecondStep is how long a session waits for its code.
	maxSecondStep = 10 * time.Minute
	// touchEvery is how often a session's last use is written, at most.
	touchEvery = time.Minute
)

// ErrNoSession says that nobody is signed in with the token: it is unknown, ended or expired.
var ErrNoSession = apperr.New(apperr.AuthRequired, "You are not signed in, or your session has ended. Sign in again.")

// Person is who signed in.
type Person struct {
	ID, Name, Email string
	TwoStep         bool       // whether two-step verification is on
	TwoStepSince    *time.Time // nil: it is off, or was turned on before that was recorded
	PasswordSince   *time.Time // nil: not known
}

// Session is a browser that is signed in, or that has still to give its code.
type Session struct {
	Person        Person
	Token         string // the cookie's value: a secret
	StartedAt     time.Time
	SecondStepDue bool
}

// expiry is the instant from which a session has ended, unless it is used before.
func expiry(startedAt, lastUsed time.Time, secondStepDue bool) time.Time {
	if secondStepDue {
		return startedAt.Add(maxSecondStep)
	}
	idle, end := lastUsed.Add(maxIdle), startedAt.Add(maxSession)
	if idle.Before(end) {
		return idle
	}
	return end
}

// tokenSize is 256 bits: nobody guesses it, so a plain SHA-256 is enough to keep it by.
const tokenSize = 32

func newToken(random io.Reader) (string, error) {
	b := make([]byte, tokenSize)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("identity: new token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// hashToken is what a session is kept by.
func hashToken(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}
