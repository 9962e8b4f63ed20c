package identity

import (
	"time"

	"dg/platform/input"
)

// Person is a user who can sign in.
type Person struct {
	ID, Name, Email string
	TwoStep         bool       // whether two-step verification is on
	TwoStepSince    *time.Time // nil: it is off, or was turned on before that was recorded
	PasswordSince   *time.Time // nil: unknown
}

// EmailKey returns the normalised form by which e-mails are compared.
func EmailKey(email string) string { return input.Lower(email) }

// credentials are what a password is verified against. For an unknown e-mail only Email is set.
type credentials struct {
	Person
	passwordHash *string // nil: there is none
}
