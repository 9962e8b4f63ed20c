package audit

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dg/platform/apperr"
)

// Action names an event of the log.
type Action string

// The actions of keys, exports and settings.
const (
	KeyCreated     Action = "api_key.created"
	KeyReplaced    Action = "api_key.replaced"
	KeyRenamed     Action = "api_key.renamed"
	KeyRevoked     Action = "api_key.revoked"
	KeyRefused     Action = "api_key.refused"
	ExportStarted  Action = "export.started"
	ExportFinished Action = "export.finished"

	ReportingModeChanged Action = "reporting_mode.changed"

	LogExported Action = "audit_log.exported"
)

// The actions of the operator.
const (
	LogPruned    Action = "audit_log.pruned"
	PlayerErased Action = "player.erased"
	PlanChanged  Action = "plan.changed"
	RoleChanged  Action = "role.changed"          // none: not a member
	ResetCreated Action = "account.reset_created" // in the logs of all the person's organisations

	OrganisationCreated Action = "organisation.created"
)

// The changes of people's security, in the logs of all their organisations.
const (
	TwoStepTurnedOn  Action = "two_step.turned_on"
	TwoStepTurnedOff Action = "two_step.turned_off"
	RecoveryCodeUsed Action = "recovery_code.used"
	PasswordChanged  Action = "password.changed"
	PasswordReset    Action = "password.reset"
)

// Actions are all actions, in the order of the filter's options. No other can be appended.
var Actions = []Action{
	KeyCreated, KeyReplaced, KeyRenamed, KeyRevoked, ExportStarted, ExportFinished, KeyRefused,
	ReportingModeChanged, LogExported,
	LogPruned, PlayerErased, OrganisationCreated, PlanChanged, RoleChanged, ResetCreated,
	TwoStepTurnedOn, TwoStepTurnedOff, RecoveryCodeUsed, PasswordChanged, PasswordReset,
}

// Reason is why a use of a key was refused.
type Reason string

// The reasons.
const (
	WrongSecret       Reason = "wrong_secret"
	Revoked           Reason = "revoked"
	Expired           Reason = "expired"
	BelowPlan         Reason = "plan"
	InsufficientScope Reason = "insufficient_scope"
	OtherOrganisation Reason = "other_organisation"
	OutsideAPI        Reason = "outside_api"
)

// Reasons are all reasons, in the order of the filter's options.
var Reasons = []Reason{
	WrongSecret, Revoked, Expired, BelowPlan, InsufficientScope, OtherOrganisation, OutsideAPI,
}

// reasons returns the reasons that entries of the action may have, besides "".
func (a Action) reasons() []Reason {
	if a == KeyRefused {
		return Reasons
	}
	return nil
}

// ActorKind is the kind of an Actor.
type ActorKind string

// The kinds of actor.
const (
	Person   ActorKind = "person"
	Key      ActorKind = "key"
	Operator ActorKind = "operator" // runs dg's commands, as the owner of the tables
)

// Actor is the person, key or operator that acted, with its name at that time.
type Actor struct {
	Kind     ActorKind
	ID, Name string
}

// TheOperator is the actor of dg's commands, which need no sign-in.
var TheOperator = Actor{Kind: Operator, Name: "Operator"}

// Target is the object of an action: a kind such as "fork" and its id. The zero value is none.
type Target struct{ Kind, ID string }

// Request is the HTTP request of an entry. Path has no query: it may contain secrets.
type Request struct {
	Method, Path, Address, UserAgent, ID string
}

// Entry is an entry of an organisation's log.
type Entry struct {
	ID             int64 // from the database, random
	OrganisationID string
	At             time.Time // by the clock of the database, to the millisecond
	Actor          Actor
	Action         Action
	Target         Target
	Reason         Reason         // of a refusal or failure, or ""
	Details        map[string]any // such as an export's period and rows
	Request        Request
}

// validate refuses an action or reason that no filter finds.
func (e Entry) validate() error {
	if !slices.Contains(Actions, e.Action) ||
		e.Reason != "" && !slices.Contains(e.Action.reasons(), e.Reason) {
		return apperr.New(apperr.Internal,
			"audit: no filter finds the action %q with the reason %q",
			e.Action, e.Reason)
	}
	return nil
}

// The bounds of a client's text in an entry, in bytes.
const (
	maxPath      = 1024
	maxUserAgent = 256
	maxMethod    = 16
)

// Sanitise makes a client's text storable: valid UTF-8 without NUL, at most limit bytes.
func Sanitise(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= limit {
		return s
	}
	s = s[:limit]
	for len(s) > 0 && !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}
