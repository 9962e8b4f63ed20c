package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"dg/modules/apikeys"
	"dg/modules/audit"
	"dg/modules/exports"
	"dg/modules/games"
	"dg/modules/identity"
	"dg/modules/org"
	"dg/modules/reports"
	"dg/platform/authz"
	"dg/platform/limiter"
)

// What the screens call of other modules. Their services say what the methods promise, and which errors they return.

// Sessions finds the session of a token.
type Sessions interface {
	Session(ctx context.Context, token string) (identity.Session, error)
}

// Identity signs people in and out, and keeps their accounts.
type Identity interface {
	Sessions
	SignIns
	Accounts
	People(ctx context.Context, ids []string) ([]identity.Person, error)
}

// SignIns begins and ends sessions.
type SignIns interface {
	SignIn(ctx context.Context, email, password string, from identity.Client) (identity.Session, error)
	VerifySecondStep(ctx context.Context, token, code string) (identity.Session, error)
	RememberBrowser(ctx context.Context, of identity.Session, token string) (string, error)
	SignOut(ctx context.Context, token string) error
	ResetPerson(ctx context.Context, token string) (identity.Person, error)
	UseReset(ctx context.Context, token, password, session string) error
	SealText(personID, text string) string
	OpenText(personID, sealed string) (string, error)
}

// Accounts reads and changes the account of a session's person.
type Accounts interface {
	Sessions(ctx context.Context, token string) ([]identity.ActiveSession, error)
	EndSession(ctx context.Context, token, id string) error
	ChangePassword(ctx context.Context, token string, proof identity.Proof, replacement string) (identity.Session, error)
	BeginTwoStep(ctx context.Context, token string) (identity.Enrolment, error)
	ConfirmTwoStep(ctx context.Context, token string, proof identity.Proof) (codes []string, session identity.Session, err error)
	TurnOffTwoStep(ctx context.Context, token string, proof identity.Proof) (identity.Session, error)
	RecoveryCodesLeft(ctx context.Context, token string) (int, error)
	SetRegion(ctx context.Context, token, region string) error
	Reauthenticate(ctx context.Context, token string, proof identity.Proof) error
	ReplaceRecoveryCodes(ctx context.Context, token string, proof identity.Proof) (codes []string, session identity.Session, err error)
}

// Memberships finds a person's role in an organisation.
type Memberships interface {
	Membership(ctx context.Context, personID, slug string) (org.Membership, error)
}

// Organisations reads organisations, their members and groups, and changes the reporting mode.
type Organisations interface {
	Memberships
	MembershipsOf(ctx context.Context, personID string) ([]org.Membership, error)
	Members(ctx context.Context, organisationID string) (_ []org.Member, all int, _ error)
	Groups(ctx context.Context, organisationID, chosen string) ([]org.Group, error)
	FindGroups(ctx context.Context, organisationID, text string) (_ []org.Group, more bool, _ error)
	GroupPage(ctx context.Context, organisationID string, page, size int) (_ []org.Group, all int, _ error)
	SetReportingMode(ctx context.Context, actor org.Actor, mode org.ReportingMode, request audit.Request) error
}

// Keys lists, creates, changes and revokes an organisation's keys.
type Keys interface {
	List(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
	Expiring(ctx context.Context, actor apikeys.Actor) ([]apikeys.Key, error)
	Key(ctx context.Context, actor apikeys.Actor, id string) (apikeys.Key, error)
	Create(ctx context.Context, actor apikeys.Actor, in apikeys.NewKey, request audit.Request) (apikeys.Key, apikeys.Token, error)
	Replace(ctx context.Context, actor apikeys.Actor, id string, in apikeys.Replacement, request audit.Request) (apikeys.Replaced, error)
	Rename(ctx context.Context, actor apikeys.Actor, id string, label apikeys.Label, request audit.Request) error
	Revoke(ctx context.Context, actor apikeys.Actor, id string, request audit.Request) error
	Usage(ctx context.Context, actor apikeys.Actor, k apikeys.Key) ([]apikeys.Usage, error)
}

// Forks finds an organisation's forks.
type Forks interface {
	Forks(ctx context.Context, organisationID string) ([]games.Fork, error)
	Fork(ctx context.Context, organisationID, id string) (games.Fork, error)
}

// Reports computes the figures of forks.
type Reports interface {
	Statistics(ctx context.Context, q reports.Query, hold func(*limiter.Lease)) (reports.Statistics, error)
	LastPlay(ctx context.Context, organisationID, forkID string) (time.Time, bool, error)
	Overview(ctx context.Context, q reports.Query) (reports.Overview, error)
}

// Exports sends plays as CSV.
type Exports interface {
	Send(ctx context.Context, c *fiber.Ctx, r exports.Request) error
}

// AuditLog reads an organisation's log, and records its downloads.
type AuditLog interface {
	List(ctx context.Context, organisationID string, p audit.Page) ([]audit.Entry, error)
	People(ctx context.Context, organisationID string) ([]audit.Actor, error)
	Counterparts(ctx context.Context, organisationID string, entries []audit.Entry) (map[int64]audit.Entry, error)
	Append(ctx context.Context, e audit.Entry) error
}

// Policy decides what a person may do.
type Policy interface {
	Authorize(s authz.Subject, want authz.Permission, organisationID string) error
}
