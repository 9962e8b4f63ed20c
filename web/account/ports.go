package account

import (
	"context"

	"dg/modules/identity"
)

// SignIns begins sessions.
type SignIns interface {
	SignIn(
		ctx context.Context, email, password string, from identity.Client,
	) (identity.Session, error)
	VerifySecondStep(ctx context.Context, token, code string) (identity.Session, error)
}

// Sessions finds and ends sessions.
type Sessions interface {
	Session(ctx context.Context, token string) (identity.Session, error)
	SignOut(ctx context.Context, token string) error
	SignOutEverywhere(ctx context.Context, token string) error
}

// Resets sets a password by a reset link.
type Resets interface {
	ResetPerson(ctx context.Context, token string) (identity.Person, error)
	UseReset(ctx context.Context, token, password, session string) error
}

// Accounts changes the account of a session's person.
type Accounts interface {
	ChangePassword(
		ctx context.Context, token string, proof identity.Proof, replacement string,
	) (identity.Session, error)
}

// TwoStep turns two-step verification on and off.
type TwoStep interface {
	BeginTwoStep(ctx context.Context, token string) (identity.Enrolment, error)
	ConfirmTwoStep(
		ctx context.Context, token string, proof identity.Proof,
	) (codes []string, session identity.Session, err error)
	TurnOffTwoStep(
		ctx context.Context, token string, proof identity.Proof,
	) (identity.Session, error)
	ReplaceRecoveryCodes(
		ctx context.Context, token string, proof identity.Proof,
	) (codes []string, session identity.Session, err error)
	RecoveryCodesLeft(ctx context.Context, token string) (int, error)
}
