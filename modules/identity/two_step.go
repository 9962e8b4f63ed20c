package identity

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"golang.org/x/text/unicode/norm"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// ErrTwoStepOn says that two-step verification is already on, ErrTwoStepOff that it is off.
var (
	ErrTwoStepOn = apperr.New(apperr.Validation,
		"Two-step verification is already on. To use another app, turn it off first.")
	ErrTwoStepOff = apperr.New(apperr.Validation, "Two-step verification is off. Set it up first.")
)

// Enrolment is the secret for an authenticator app, also as the URL of a QR code.
type Enrolment struct{ Secret, URL string }

// BeginTwoStep checks the password and offers a new secret for turning two-step verification on.
// The session continues under a new token. Only the new token can read the offer, so that a thief
// of the old token does not learn the secret. Errors: ErrTwoStepOn, those of withPassword.
func (s *Service) BeginTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if c.session.User.TOTPSecret != nil {
			return ErrTwoStepOn
		}
		if err := c.rotate("", nil); err != nil {
			return err
		}
		return updateSession(c.tx, "identity.offerSecret", c.newSession.Token,
			map[string]any{"totp_offer": s.keyring.Encrypt(c.session.UserID, newTOTPSecret())})
	})
}

// OfferedTwoStep returns the offer of BeginTwoStep, within reauthenticationTTL. Errors:
// ErrNoSession, ErrTwoStepOff if there is no offer or no key decrypts the offer.
func (s *Service) OfferedTwoStep(ctx context.Context, token string) (Enrolment, error) {
	row, err := s.signedInSession(ctx, token)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.keyring.decryptOffer(row)
	if err != nil {
		return Enrolment{}, ErrTwoStepOff
	}
	return Enrolment{Secret: secret, URL: totpURL(row.User.Email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on if code belongs to the offered secret. It returns
// ten recovery codes, which are never returned again. The session continues under a new token; the
// person's other sessions end. Errors: ErrNoSession, ErrTwoStepOn, ErrTwoStepOff without an offer,
// ErrWrongCode (not counted, because the client has seen the secret), apperr.Unavailable for an
// unreadable offer or a failed write to the audit log.
func (s *Service) ConfirmTwoStep(
	ctx context.Context, token, code string,
) (codes []string, session Session, err error) {
	session, err = s.changePerson(ctx, token, false, func(c *change) (err error) {
		if c.session.User.TOTPSecret != nil {
			return ErrTwoStepOn
		}
		secret, err := s.keyring.decryptOffer(c.session)
		if err != nil {
			return err
		}
		step, ok := matchTOTP(secret, code, c.now, 0)
		if !ok {
			return ErrWrongCode
		}
		columns := twoStepColumns(s.keyring.Encrypt(c.session.UserID, secret), c.now, step)
		if err := c.rotate(audit.TwoStepTurnedOn, columns); err != nil {
			return err
		}
		codes, err = c.issueRecoveryCodes()
		return err
	})
	return codes, session, err
}

func (k Keyring) decryptOffer(row sessionRow) (string, error) {
	if row.TOTPOffer == nil || !row.Fresh {
		return "", ErrTwoStepOff
	}
	return k.decryptStored(row.UserID, *row.TOTPOffer)
}

// TurnOffTwoStep turns two-step verification off and voids the recovery codes. The session
// continues under a new token; the person's other sessions end. Errors: ErrTwoStepOff,
// ErrWrongCode, those of withPassword.
func (s *Service) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if c.session.User.TOTPSecret == nil {
			return ErrTwoStepOff
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		return c.rotate(audit.TwoStepTurnedOff, twoStepColumns(nil, nil, nil))
	})
}

// twoStepColumns returns the columns of users to update. Three nils turn two-step verification off.
func twoStepColumns(secret, since, lastStep any) map[string]any {
	return map[string]any{
		"totp_secret": secret, "totp_since": since, "totp_last_step": lastStep,
	}
}

// stepSeconds is the length of a time step. Codes of adjacent steps match too: clocks drift.
const stepSeconds = 30

// TOTPIssuer is the service's name in authenticator apps.
const TOTPIssuer = "DG"

const minSecretSize = 10 // bytes of an imported TOTP secret

// TOTPSecretFormat describes a TOTP secret, for error messages.
const TOTPSecretFormat = "a secret of at least 80 bits in base32"

var base32Secret = base32.StdEncoding.WithPadding(base32.NoPadding)

// ParseTOTPSecret returns the secret in upper case without padding, and whether the text is valid.
// A valid text is base32 of at least 80 bits, in at most 200 characters.
func ParseTOTPSecret(text string) (string, bool) {
	secret := strings.ToUpper(strings.TrimRight(text, "="))
	if strings.ContainsAny(secret, "\r\n") { // the decoder would skip line breaks
		return "", false
	}
	b, err := base32Secret.DecodeString(secret)
	return secret, err == nil && len(b) >= minSecretSize && len(text) <= 200
}

// newTOTPSecret returns 160 bits in base32, as RFC 4226 recommends.
func newTOTPSecret() string { return rand.Text() + rand.Text()[:6] }

// totpURL returns the otpauth URL of a secret. Algorithm, digits and period have their defaults.
func totpURL(account, secret string) string {
	label := strings.ReplaceAll(url.PathEscape(account), "+", "%2B") // some apps decode + to a blank
	return "otpauth://totp/" + TOTPIssuer + ":" + label + "?secret=" + secret + "&issuer=" + TOTPIssuer
}

// normaliseCode drops all characters but letters and digits. It replaces full-width, Arabic-Indic
// and Persian digits by ASCII.
func normaliseCode(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '\u0660' <= r && r <= '\u0669':
			return r - '\u0660' + '0'
		case '\u06f0' <= r && r <= '\u06f9':
			return r - '\u06f0' + '0'
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return r
		}
		return -1
	}, norm.NFKC.String(code))
}

// matchTOTP returns the step of the code. It accepts only steps after lastStep.
func matchTOTP(secret, code string, now time.Time, lastStep int64) (step int64, ok bool) {
	code = normaliseCode(code)
	current := now.Unix() / stepSeconds
	for _, step := range []int64{current, current - 1, current + 1} {
		matches, err := hotp.ValidateCustom(code, uint64(step), secret,
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && matches && step > lastStep {
			return step, true
		}
	}
	return 0, false
}
