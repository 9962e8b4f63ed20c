package audit

import (
	"strconv"
	"strings"
	"time"
)

// Reason says why a request with a key was refused.
type Reason string

// The database stores these reasons, so they never change.
const (
	WrongSecret       Reason = "wrong_secret"
	Revoked           Reason = "revoked"
	Expired           Reason = "expired"
	BelowPlan         Reason = "plan"
	InsufficientScope Reason = "insufficient_scope"
	OtherOrganisation Reason = "other_organisation"
	OutsideAPI        Reason = "outside_api"
)

// Words returns the reason as screens show it.
func (r Reason) Words() string {
	return strings.NewReplacer("plan", "plan without the API", "api", "the API", "_", " ").Replace(string(r))
}

// ActorKind is what Actor.ID identifies. The operator has no id.
type ActorKind string

// A new kind needs a migration, because a check constraint of audit_entries lists these.
const (
	Person   ActorKind = "person"
	Key      ActorKind = "key"
	Operator ActorKind = "operator" // runs dg's commands, as the owner of the tables
)

// Actor is the person, key or operator that acted. Name is the actor's name at that time.
type Actor struct {
	Kind ActorKind `json:"actorKind"`
	ID   string    `json:"actorId"`
	Name string    `json:"actorName"`
}

// OperatorActor is the actor of dg's commands, which need no sign-in.
var OperatorActor = Actor{Kind: Operator, Name: "Operator"}

// Target is the object of an action: a kind such as "fork", and an id. The zero Target means none.
type Target struct {
	Kind string `json:"targetKind"`
	ID   string `json:"targetId"`
}

// Request is the HTTP request or the operator's command that an entry records. Path has no query,
// which may contain secrets.
type Request struct {
	Method    string `json:"method"`
	Path      string `json:"path"`
	Address   string `json:"address"`
	UserAgent string `json:"userAgent"`
	ID        string `gorm:"column:request_id" json:"requestId"`
}

// Entry is an entry of an organisation's log: a row of audit_entries. The database sets ID and At.
type Entry struct {
	ID             int64     // its random bits hide the size of the log
	OrganisationID string    `gorm:"column:org_id"`
	At             time.Time // time of the database's clock, truncated to the millisecond
	Actor          Actor     `gorm:"embedded;embeddedPrefix:actor_"`
	Action         Action
	Target         Target         `gorm:"embedded;embeddedPrefix:target_"`
	Reason         Reason         // empty unless the entry is a refusal
	Details        map[string]any `gorm:"serializer:json"` // facts of the action, such as an export's period
	Request        Request        `gorm:"embedded"`
}

// TableName implements gorm's Tabler.
func (Entry) TableName() string { return "audit_entries" }

// Owner returns the organisation whose log has the entry. The policy authorises readers by it.
func (e Entry) Owner() string { return e.OrganisationID }

// Ref returns the entry's id as exported files show it, such as E123. The leading E keeps
// spreadsheets and programs from reading the id as a number and rounding it.
func (e Entry) Ref() string { return "E" + strconv.FormatInt(e.ID, 10) }
