package account

import (
	"context"

	"dg/modules/identity"
	"dg/web/ui"
)

// Service is the part of identity.Service by which people sign in and change their accounts.
type Service interface {
	ui.Sessions
	SignIn(ctx context.Context, email, password, previous string) (identity.Session, error)
	VerifySecondStep(ctx context.Context, token, code string) (identity.Session, error)
	SignOut(ctx context.Context, token string) error
	SignOutEverywhere(ctx context.Context, token string) error
	PersonOfReset(ctx context.Context, token string) (identity.Person, error)
	ResetPassword(ctx context.Context, token, password, session string) error
	ChangePassword(
		ctx context.Context, token string, proof identity.Proof, replacement string,
	) (identity.Session, error)
	BeginTwoStep(
		ctx context.Context, token string, proof identity.Proof,
	) (identity.Session, error)
	OfferedTwoStep(ctx context.Context, token string) (identity.Enrolment, error)
	ConfirmTwoStep(
		ctx context.Context, token, code string,
	) (codes []string, session identity.Session, err error)
	TurnOffTwoStep(
		ctx context.Context, token string, proof identity.Proof,
	) (identity.Session, error)
	ReplaceRecoveryCodes(
		ctx context.Context, token string, proof identity.Proof,
	) (codes []string, session identity.Session, err error)
	RecoveryCodesLeft(ctx context.Context, token string) (int, error)
}
