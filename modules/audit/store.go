package audit

import (
	"context"
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
	details, err := json.Marshal(e.Details)
	if err != nil {
		return fmt.Errorf("audit: append %s: %w", e.Action, err)
	}
	if e.Details == nil {
		details = []byte("{}")
	}
	row := entryRow{
		OrgID: e.OrganisationID, At: l.now().UTC().Truncate(time.Millisecond),
		ActorKind: string(e.Actor.Kind), ActorID: e.Actor.ID, ActorName: e.Actor.Name,
		Action: string(e.Action), TargetKind: e.Target.Kind, TargetID: clean(e.Target.ID, maxPath), Reason: string(e.Reason), Details: details,
		Method: clean(e.Request.Method, maxMethod), Path: clean(e.Request.Path, maxPath), Address: e.Request.Address,
		UserAgent: clean(e.Request.UserAgent, maxUserAgent), RequestID: e.Request.ID,
	}
	if err := tx.Create(&row).Error; err != nil {
		return fmt.Errorf("audit: append %s: %w", e.Action, err)
	}
	return nil
}

// List returns a page of the organisation's log, newest first.
func (l *Log) List(ctx context.Context, organisationID string, p Page) ([]Entry, error) {
	q := l.db.Gorm.WithContext(ctx).Where("org_id = ?", organisationID)
	if p.Before > 0 {
		q = q.Where("id < ?", p.Before)
	}
	var rows []entryRow
	if err := q.Order("id desc").Limit(p.Limit).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("audit: list: %w", err)
	}
	entries := make([]Entry, len(rows))
	for i, r := range rows {
		e, err := r.entry()
		if err != nil {
			return nil, err
		}
		entries[i] = e
	}
	return entries, nil
}
