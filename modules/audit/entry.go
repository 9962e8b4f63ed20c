package audit

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dg/platform/apperr"
)

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

// OperatorActor is the actor of dg's commands, which need no sign-in.
var OperatorActor = Actor{Kind: Operator, Name: "Operator"}

// Target is the object of an action: a kind such as "fork" and its id. The zero value is none.
type Target struct{ Kind, ID string }

// Request is the HTTP request of an entry. Path has no query, which may contain secrets.
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
	Reason         Reason         // of a refusal; "": the entry is none
	Details        map[string]any // such as an export's period and rows
	Request        Request
}

// Owner returns the organisation of the log, for the policy.
func (e Entry) Owner() string { return e.OrganisationID }

// Ref returns the entry's id as files have it: text, which no spreadsheet or program takes for a
// number and rounds.
func (e Entry) Ref() string { return ref(e.ID) }

func ref(id int64) string { return "E" + strconv.FormatInt(id, 10) }

// validate refuses an action that is not in Actions. Errors: apperr.Internal.
func (e Entry) validate() error {
	if _, known := DisplayOf(e.Action); !known {
		return apperr.New(apperr.Internal, "audit: the action %q is unknown", e.Action)
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
