package audit

import (
	"cmp"
	"context"
	"errors"
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres/tenant"
)

// Filter selects the entries that match every field that is set. The zero Filter selects all.
type Filter struct {
	Action   Action    // KeyCreated and KeyRevoked also select KeyReplaced
	PersonID string    // the person who acted
	KeyID    string    // the key that acted, is the target or replaces the target
	From, To time.Time // From <= At < To
}

func (f Filter) conditions() (text string, values []any) {
	and := func(set bool, condition string, value any) {
		if set {
			text += " and " + condition
			values = append(values, value)
		}
	}
	actions := []Action{f.Action}
	if f.Action == KeyCreated || f.Action == KeyRevoked {
		actions = append(actions, KeyReplaced) // a replacement creates a key and ends another
	}
	and(f.Action != "", "action in ?", actions)
	and(f.PersonID != "", "actor_kind = 'person' and actor_id = ?", f.PersonID)
	and(f.KeyID != "", "? in (case actor_kind when 'key' then actor_id end, "+
		"case target_kind when 'api_key' then target_id end, details->>'replacement')", f.KeyID)
	and(!f.From.IsZero(), "at >= ?", f.From)
	and(!f.To.IsZero(), "at < ?", f.To)
	return text, values
}

// Page selects at most Limit entries of a log: the newest if Before is 0, else those older than the
// entry with that id. The order is by instant, with the id as tie-break.
type Page struct {
	Filter Filter
	Before int64
	Limit  int
}

// logSQL selects the whole log of an organisation: the entries, and counts of refusals as entries.
const logSQL = ` (
	select id, org_id, at, actor_kind, actor_id, actor_name, action, target_kind, target_id, reason,
	       details, method, path, address, user_agent, request_id from audit_entries
	union all
	select id, org_id, at, 'key', key_id, key_name, 'api_key.refused', '', '', reason,
	       jsonb_build_object('refusals', refusals), '', '', '', '', '' from audit_refusals) e
	where org_id = @org`

// ErrLongSearch says that a search by a filter without an index ran for more than a second and
// reached the deadline of the request.
var ErrLongSearch = apperr.NewField("from", "The search took too long. Choose From and To, or fewer days.")

// List returns a page of the organisation's log, newest first. Errors: ErrLongSearch, the cause of
// ctx.
func (l *Log) List(ctx context.Context, organisationID string, p Page) (entries []Entry, err error) {
	began := time.Now()
	conditions, values := p.Filter.conditions()
	if p.Before != 0 {
		conditions += " and (at, id) < (select at, id from" + logSQL + " and id = ?)"
		values = append(values, p.Before)
	}
	// raw SQL, because gorm's builder has no union; the order is that of the indexes, so that the
	// scan stops at the limit
	err = tenant.Raw(l.db.Gorm.WithContext(ctx), organisationID,
		"/* audit.list */ select * from"+logSQL+conditions+" order by at desc, id desc limit ?",
		append(values, p.Limit)...).Scan(&entries).Error
	err = cmp.Or(context.Cause(ctx), err)
	f := p.Filter
	f.PersonID, f.From, f.To = "", time.Time{}, time.Time{}
	if errors.Is(err, context.DeadlineExceeded) && f != (Filter{}) && time.Since(began) > time.Second {
		return nil, ErrLongSearch
	}
	return entries, apperr.Annotate(err, "audit: list")
}

// People returns the people who acted in a log, ordered by id, with the name of their newest entry.
func (l *Log) People(ctx context.Context, organisationID string) (people []Actor, err error) {
	err = tenant.Raw(l.db.Gorm.WithContext(ctx), organisationID, `/* audit.people */
		select distinct on (actor_id) actor_kind as kind, actor_id as id, actor_name as name
		  from audit_entries
		 where org_id = @org and actor_kind = 'person' and actor_id <> ''
		 order by actor_id, at desc, audit_entries.id desc`).Scan(&people).Error
	return people, apperr.Annotate(err, "audit: people")
}
