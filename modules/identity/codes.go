package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"
)

// takeCode accepts a code or a recovery code of the person, whose row is locked: each of several
// concurrent codes sees what the one before it left.
func (s *Service) takeCode(tx transaction, in *lockedSession, code string, now time.Time) error {
	if err := checkCodeLock(tx, in, now); err != nil {
		return err
	}
	step, ok, reused, err := s.matchCode(tx, in, code, now)
	switch {
	case err != nil:
		return err
	case ok && in.client.browser != nil: // others' wrong codes stay counted
		return saveCodeAttempts(tx, in, step, in.codes)
	case ok:
		return saveCodeAttempts(tx, in, step, codeAttempts{})
	case reused: // not counted: a form that is sent many times locks nobody out
		return ErrWrongCode
	}
	if err := countWrongCode(tx, in, now); err != nil {
		return err
	}
	return ErrWrongCode
}

// checkCodeLock returns a LockedError while no code is compared: for the person or, in a known
// browser, for the browser.
func checkCodeLock(tx transaction, in *lockedSession, now time.Time) error {
	if in.client.browser != nil {
		return checkLimits(tx, []attemptLimit{codeLimit(in.client.browser)}, now)
	}
	if in.codes.locked(now) {
		return newLockedError(*in.codes.lockedUntil, now)
	}
	return nil
}

func countWrongCode(tx transaction, in *lockedSession, now time.Time) error {
	if in.client.browser != nil {
		l := codeLimit(in.client.browser)
		taken, ok, err := l.take(tx, now)
		if ok && taken == l.max {
			until := now.Add(l.window)
			in.lockedUntil = &until
		}
		return err
	}
	after := in.codes.afterFailure(now)
	in.lockedUntil = after.lockedUntil
	return saveCodeAttempts(tx, in, in.lastStep, after)
}

// matchCode returns what matchTOTP does. A recovery code leaves the step as it is, and is used up.
func (s *Service) matchCode(
	tx transaction, in *lockedSession, code string, now time.Time,
) (step int64, ok, reused bool, err error) {
	if recovery, is := parseRecoveryCode(code); is {
		in.usedRecoveryCode, err = useRecoveryCode(tx, in.Person.ID, recovery)
		return in.lastStep, in.usedRecoveryCode, false, err
	}
	secret, err := s.keys.open(in.Person.ID, in.secret)
	if err != nil {
		return 0, false, false, err
	}
	step, ok, reused = matchTOTP(secret, code, now, in.lastStep)
	return step, ok, reused, nil
}

// Recovery codes have 80 random bits, so an unsalted SHA-256 is enough to store them.
const (
	recoveryCodeCount  = 10
	recoveryCodeLength = 16
	// Crockford's base32: no i, l, o or u to misread
	recoveryAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

var recoveryEncoding = base32.NewEncoding(recoveryAlphabet)

// newRecoveryCode returns a code such as 7k3m-9qxa-c4de-h8rt.
func newRecoveryCode() string {
	var b [recoveryCodeLength * 5 / 8]byte
	_, _ = rand.Read(b[:]) // never fails
	c := recoveryEncoding.EncodeToString(b[:])
	return strings.Join([]string{c[:4], c[4:8], c[8:12], c[12:]}, "-")
}

// typedRecoveryCode normalises a typed recovery code: dashes, spaces, and letters that look like
// digits.
var typedRecoveryCode = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1")

// parseRecoveryCode returns a recovery code as it is hashed, and whether the text has the form of
// one. A code of an authenticator app never has.
func parseRecoveryCode(text string) (code string, ok bool) {
	if len(text) > 4*recoveryCodeLength {
		return "", false
	}
	code = typedRecoveryCode.Replace(strings.ToLower(text))
	return code, len(code) == recoveryCodeLength && strings.Trim(code, recoveryAlphabet) == ""
}

// hashRecoveryCode returns the stored hash of a code, salted with the person.
func hashRecoveryCode(personID, code string) []byte {
	h := sha256.Sum256([]byte(personID + " " + code))
	return h[:]
}
