package identity

import (
	"context"

	"dg/modules/audit"
	"dg/platform/apperr"
)

// ErrTwoStepOn says that two-step verification is on already, ErrTwoStepOff that it is off.
var (
	ErrTwoStepOn = apperr.New(apperr.Validation,
		"Two-step verification is already on. To use another app, turn it off first.")
	ErrTwoStepOff = apperr.New(apperr.Validation, "Two-step verification is off. Set it up first.")
)

// Enrolment is the secret for an authenticator app, also as the URL of a QR code.
type Enrolment struct{ Secret, URL string }

// BeginTwoStep checks the password and offers a new secret for turning two-step verification on. The
// session continues under the returned token, which alone sees the offer: who had stolen the old one
// does not know the secret. Errors: ErrTwoStepOn, those of withPassword.
func (s *Service) BeginTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if c.from.User.TOTPSecret != nil {
			return ErrTwoStepOn
		}
		if err := c.rotate("", nil); err != nil {
			return err
		}
		return updateSession(c.tx, "identity.offerSecret", c.continued.Token,
			map[string]any{"totp_offer": s.keys.Encrypt(c.from.UserID, newTOTPSecret())})
	})
}

// OfferedTwoStep returns the offer of BeginTwoStep, until reauthenticationTTL after it. Errors:
// ErrNoSession, ErrTwoStepOff without an offer or with one that no key decrypts.
func (s *Service) OfferedTwoStep(ctx context.Context, token string) (Enrolment, error) {
	own, err := s.signedInSession(ctx, token)
	if err != nil {
		return Enrolment{}, err
	}
	secret, err := s.keys.offered(own)
	if err != nil {
		return Enrolment{}, ErrTwoStepOff
	}
	return Enrolment{Secret: secret, URL: totpURL(own.User.Email, secret)}, nil
}

// ConfirmTwoStep turns two-step verification on with the offered secret, of which code is a code. It
// returns ten recovery codes, which are never returned again. The session continues under the
// returned token; the person's other sessions end. Errors: ErrNoSession, ErrTwoStepOn, ErrTwoStepOff
// without an offer, ErrWrongCode (not counted: the client has seen the secret), apperr.Unavailable
// for an unreadable offer or a failed write to the audit log.
func (s *Service) ConfirmTwoStep(
	ctx context.Context, token, code string,
) (codes []string, session Session, err error) {
	session, err = s.changePerson(ctx, token, false, func(c *change) (err error) {
		columns, err := c.confirmOffer(code)
		if err != nil {
			return err
		}
		if err := c.rotate(audit.TwoStepTurnedOn, columns); err != nil {
			return err
		}
		codes, err = c.issueRecoveryCodes()
		return err
	})
	return codes, session, err
}

func (k Keyring) offered(of sessionRow) (string, error) {
	if of.TOTPOffer == nil || !of.Fresh {
		return "", ErrTwoStepOff
	}
	return k.decryptStored(of.UserID, *of.TOTPOffer)
}

// confirmOffer returns the columns that store the offered secret, with the code marked as used.
func (c *change) confirmOffer(code string) (map[string]any, error) {
	if c.from.User.TOTPSecret != nil {
		return nil, ErrTwoStepOn
	}
	keys := c.service.keys
	secret, err := keys.offered(c.from)
	if err != nil {
		return nil, err
	}
	step, ok := matchTOTP(secret, code, c.now, 0)
	if !ok {
		return nil, ErrWrongCode
	}
	return twoStepColumns(keys.Encrypt(c.from.UserID, secret), c.now, step), nil
}

// TurnOffTwoStep turns two-step verification off and voids the recovery codes. The session
// continues under the returned token; the person's other sessions end. Errors: ErrTwoStepOff,
// ErrWrongCode, those of withPassword.
func (s *Service) TurnOffTwoStep(ctx context.Context, token string, proof Proof) (Session, error) {
	return s.withPassword(ctx, token, proof, func(c *change) error {
		if c.from.User.TOTPSecret == nil {
			return ErrTwoStepOff
		}
		if err := c.verifyCode(proof.Code); err != nil {
			return err
		}
		return c.rotate(audit.TwoStepTurnedOff, twoStepColumns(nil, nil, nil))
	})
}

// With three nils, twoStepColumns turns two-step verification off.
func twoStepColumns(secret, since, lastStep any) map[string]any {
	return map[string]any{
		"totp_secret": secret, "totp_since": since, "totp_last_step": lastStep,
	}
}
