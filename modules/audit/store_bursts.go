package audit

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// countSQL adds an event to its burst in the log of each of the organisations. It touches a burst at
// most once a minute; a touch in the future, from a clock that was set back, does not count. Bursts
// are written in one order, so that statements cannot deadlock. By hand, for speed: in a flood each
// refused request costs one round trip.
const countSQL = `/* audit.count */
with known as (
    select id, org_id from audit_bursts
     where org_id = any($1::uuid[]) and actor_kind = $2 and actor_id = $3 and action = $5 and reason = $6
       and touched_at between clock_timestamp() - interval '60 s' and clock_timestamp()
), touched as (
    insert into audit_bursts (org_id, actor_kind, actor_id, actor_name, action, reason, touched_at)
    select o, $2, $3, $4, $5, $6, clock_timestamp() from (select distinct unnest($1::uuid[]) as o) organisations
     where not exists (select from known k where k.org_id = o) order by o
    on conflict (org_id, actor_kind, actor_id, action, reason)
    do update set touched_at = clock_timestamp(), actor_name = excluded.actor_name
    returning id
)
insert into audit_burst_events (burst) select id from known union all select id from touched`

func count(db *gorm.DB, organisationIDs []string, e Entry) error {
	if err := e.validate(); err != nil {
		return err
	}
	err := db.Scopes(everyLog).Exec(countSQL,
		organisationIDs, e.Actor.Kind, e.Actor.ID, e.Actor.Name, e.Action, e.Reason).Error
	if err != nil {
		return fmt.Errorf("audit: count %s: %w", e.Action, err)
	}
	return nil
}

// CountInAll is Count for the logs of several organisations, in the caller's transaction. Errors:
// those of Count.
func (l *Log) CountInAll(tx *gorm.DB, organisationIDs []string, e Entry) error {
	return l.report(len(organisationIDs), e, count(tx, organisationIDs, e))
}

// burstRow is a burst with the number of its events, which is not a column.
type burstRow struct {
	OrgID     string
	ActorKind string
	ActorID   string
	ActorName string
	Action    string
	Reason    string
	Events    int64 `gorm:"->"`
}

func (burstRow) TableName() string { return "audit_bursts" }

func (r burstRow) entry(lost bool) Entry {
	details := map[string]any{}
	if r.Events > 0 {
		details[NotRecorded] = r.Events
	}
	if lost {
		details[CountLost] = true
	}
	return Entry{
		OrganisationID: r.OrgID,
		Actor:          Actor{Kind: ActorKind(r.ActorKind), ID: r.ActorID, Name: r.ActorName},
		Action:         Action(r.Action),
		Reason:         Reason(r.Reason),
		Details:        details,
	}
}

// RecordBursts adds one entry for each burst, in the logs of all organisations. It does nothing while
// another instance does so. After a crash of PostgreSQL each current burst gets an entry that says
// that its count was lost.
func (l *Log) RecordBursts(ctx context.Context) error {
	return l.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		var locked bool // by hand: the lock is no row
		err := tx.Scopes(allBursts).Raw(
			`/* audit.bursts */ select pg_try_advisory_xact_lock(hashtextextended('audit bursts', 0))`).
			Scan(&locked).
			Error
		if err != nil || !locked {
			return err
		}
		lost, err := detectCrash(tx)
		if err != nil {
			return err
		}
		bursts, err := takeBursts(tx, lost)
		if err != nil {
			return err
		}
		for _, b := range bursts {
			if err := appendIn(tx, b.entry(lost)); err != nil {
				return err
			}
		}
		// Statements last at most 30 s, so none runs that saw such a burst as touched a minute ago.
		return tx.Scopes(postgres.Tag("audit.endBursts"), allBursts).
			Where("touched_at < clock_timestamp() - interval '2 min'").Delete(&burstRow{}).Error
	})
}

// detectCrash reports whether PostgreSQL has crashed since the last call, which empties the unlogged
// table.
func detectCrash(tx *gorm.DB) (bool, error) {
	// By hand: gorm's builder has no "insert … select".
	marked := tx.Scopes(allBursts).
		Exec(`/* audit.detectCrash */ insert into audit_burst_events (burst)
		select 0 where not exists (select from audit_burst_events where burst = 0)`)
	if marked.Error != nil {
		return false, fmt.Errorf("audit: detect a crash: %w", marked.Error)
	}
	return marked.RowsAffected > 0, nil
}

var allBursts = tenant.Across("the program itself records bursts, for all organisations")

// takeBursts deletes the events. It returns the bursts that had events or, with all, every burst.
func takeBursts(tx *gorm.DB, all bool) ([]burstRow, error) {
	var bursts []burstRow
	// By hand: one statement deletes and counts the same rows.
	err := tx.Scopes(allBursts).Raw(`/* audit.takeBursts */
		with taken as (delete from audit_burst_events where burst <> 0 returning burst),
		     counted as (select burst, count(*) as events from taken group by burst)
		select b.org_id, b.actor_kind, b.actor_id, b.actor_name, b.action, b.reason, coalesce(c.events, 0) as events
		  from audit_bursts b left join counted c on c.burst = b.id
		 where ? or c.events is not null order by b.id`, all).Scan(&bursts).Error
	return bursts, apperr.Annotate(err, "audit: take bursts")
}
