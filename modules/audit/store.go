package audit

import (
	"encoding/json"
	"fmt"
	"time"

	"gorm.io/gorm"
)

type entryRow struct {
	ID         int64 `gorm:"primaryKey"`
	OrgID      string
	At         time.Time
	ActorKind  string
	ActorID    string
	ActorName  string
	Action     string
	TargetKind string
	TargetID   string
	Reason     string
	Details    json.RawMessage `gorm:"type:jsonb"`
	Method     string
	Path       string
	Address    string
	UserAgent  string
	RequestID  string
}

func (entryRow) TableName() string { return "audit_entries" }

func (r entryRow) entry() (Entry, error) {
	e := Entry{
		ID: r.ID, OrganisationID: r.OrgID, At: r.At,
		Actor:  Actor{Kind: ActorKind(r.ActorKind), ID: r.ActorID, Name: r.ActorName},
		Action: Action(r.Action), Target: Target{Kind: r.TargetKind, ID: r.TargetID}, Reason: Reason(r.Reason),
		Request: Request{Method: r.Method, Path: r.Path, Address: r.Address, UserAgent: r.UserAgent, ID: r.RequestID},
	}
	if err := json.Unmarshal(r.Details, &e.Details); err != nil {
		return Entry{}, fmt.Errorf("audit: details of entry %d: %w", r.ID, err)
	}
	return e, nil
}

// AppendIn adds one entry in the caller's transaction: it commits with what it is about.
func (l *Log) AppendIn(tx *gorm.DB, e Entry) error {
	if !e.findable() {
		return fmt.Errorf("audit: append %q for %q: no filter would find it", e.Action, e.Reason)
	}
	details, err := json.Marshal(e.Details)
	if err != nil {
		return fmt.Errorf("audit: append %s: %w", e.Action, err)
	}
	if e.Details == nil {
		details = []byte("{}")
	}
	row := entryRow{
		OrgID:     e.OrganisationID,
		ActorKind: string(e.Actor.Kind), ActorID: e.Actor.ID, ActorName: e.Actor.Name,
		Action: string(e.Action), TargetKind: e.Target.Kind, TargetID: clean(e.Target.ID, maxPath), Reason: string(e.Reason), Details: details,
		Method: clean(e.Request.Method, maxMethod), Path: clean(e.Request.Path, maxPath), Address: e.Request.Address,
		UserAgent: clean(e.Request.UserAgent, maxUserAgent), RequestID: e.Request.ID,
	}
	// The database gives the instant and the number (migrations, "audit_stamp").
	if err := tx.Omit("ID", "At").Create(&row).Error; err != nil {
		return fmt.Errorf("audit: append %s: %w", e.Action, err)
	}
	return nil
}
