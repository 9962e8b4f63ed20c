package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Recovery codes are of 80 random bits: nobody guesses one, so a plain SHA-256 is enough to keep it by.
const (
	recoveryCodeCount  = 10
	recoveryCodeLength = 16
	// recoveryAlphabet is Crockford's base32: no i, l, o or u, so that a code can be read from paper.
	recoveryAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"
)

// newRecoveryCodes draws a person's codes, such as 7k3m-9qxa-c4de-h8rt.
func newRecoveryCodes(random io.Reader) ([]string, error) {
	codes := make([]string, recoveryCodeCount)
	for i := range codes {
		var b [recoveryCodeLength]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return nil, fmt.Errorf("identity: new recovery codes: %w", err)
		}
		for j := range b {
			b[j] = recoveryAlphabet[b[j]&31]
		}
		codes[i] = string(b[:4]) + "-" + string(b[4:8]) + "-" + string(b[8:12]) + "-" + string(b[12:])
	}
	return codes, nil
}

// typedRecoveryCode undoes what typing may do to a recovery code: case, dashes, spaces, and letters that look like digits.
var typedRecoveryCode = strings.NewReplacer("-", "", " ", "", "o", "0", "i", "1", "l", "1")

// parseRecoveryCode returns a recovery code as it is hashed, and whether the text has the form of one. A code of an
// authenticator app never has.
func parseRecoveryCode(text string) (code string, ok bool) {
	if len(text) > 4*recoveryCodeLength {
		return "", false
	}
	code = typedRecoveryCode.Replace(strings.ToLower(text))
	return code, len(code) == recoveryCodeLength && strings.Trim(code, recoveryAlphabet) == ""
}

// hashRecoveryCode is what a code is kept by: another value for each person.
func hashRecoveryCode(personID, code string) []byte {
	h := sha256.Sum256([]byte(personID + " " + code))
	return h[:]
}

// RecoveryCodesLeft returns how many recovery codes the session's person has left. Errors: ErrNoSession.
func (s *Service) RecoveryCodesLeft(ctx context.Context, token string) (int, error) {
	own, err := s.whole(ctx, token, s.clock())
	if err != nil {
		return 0, err
	}
	return s.countRecoveryCodes(ctx, own.Person.ID)
}

// ReplaceRecoveryCodes returns ten new recovery codes of the session's person, which are never returned again, and voids
// the old ones. The session goes on under the token of the session returned.
//
// Errors: ErrNoSession, ErrTwoStepOff, ErrWrongPassword, ErrWrongCode, a LockedError.
func (s *Service) ReplaceRecoveryCodes(ctx context.Context, token string, proof Proof) (codes []string, session Session, err error) {
	session, err = s.confirmed(ctx, token, proof, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if in.secret == "" {
			return ErrTwoStepOff
		}
		if err := s.takeCode(ctx, tx, in, proof.Code, now); err != nil {
			return err
		}
		return s.renew(ctx, tx, in, now, RecoveryCodesReplaced, func() (err error) {
			codes, err = s.replaceRecoveryCodes(ctx, tx, in)
			return err
		})
	})
	return codes, session, err
}
