package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// List returns a page of the organisation's log, newest first.
func (l *Log) List(ctx context.Context, organisationID string, p Page) ([]Entry, error) {
	rows, err := l.rows(ctx, organisationID, p)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, len(rows))
	for i, r := range rows {
		if entries[i], err = r.entry(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func (l *Log) rows(ctx context.Context, organisationID string, p Page) (rows []entryRow, err error) {
	within, err := l.rangeOf(ctx, organisationID, p)
	if err == nil {
		err = l.page(ctx, organisationID, p, within).Find(&rows).Error
	}
	return rows, apperr.Annotate(err, "audit: list")
}

// entries is the query of the organisation's entries.
func (l *Log) entries(ctx context.Context, organisationID, tag string) *gorm.DB {
	return l.db.Gorm.WithContext(ctx).Scopes(postgres.Tag(tag), tenant.Scope(organisationID)).
		Model(&entryRow{})
}

// page finds the page's entries in indexes, and then reads them. For each combination of kind of
// actor, action and reason that the filter admits it takes the first entries of an index that begins
// with these, and then the first of all. So its work is bounded under every filter; a plain "where"
// would read the whole log for a rare combination.
func (l *Log) page(ctx context.Context, organisationID string, p Page, within logRange) *gorm.DB {
	db := l.db.Gorm.WithContext(ctx)
	first := l.entries(ctx, organisationID, "audit.list").Select("at, id").
		Scopes(within.scope, p.first)
	if f := p.Filter; f.selective() {
		actions, reasons := f.actionsAndReasons()
		each := first.Where("actor_kind = k and action = a and reason = r").
			Scopes(f.ofPerson, f.ofKey, f.ofFork)
		// Pointers: gorm expands a slice into parameters, pgx makes an array of a pointer to one.
		first = tenant.Raw(db, organisationID, `select f.at, f.id
			from unnest(?::text[]) k, unnest(?::text[], ?::text[]) w(a, r), lateral (?) f
			order by `+p.order()+` limit ?`,
			new(f.kinds()), &actions, &reasons, each, p.Limit)
		if f.mayHaveSuccessor() {
			other := l.successor(ctx, organisationID, f, within)
			first = tenant.Raw(db, organisationID,
				`select at, id from ((?) union all (?)) f order by `+p.order()+` limit ?`, first,
				other, p.Limit)
		}
	}
	// By hand: gorm's builder joins no subquery.
	return tenant.Raw(db, organisationID, `/* audit.list */ select `+entryColumns+`
		from audit_entries e join (?) page on page.id = e.id where e.org_id = @org order by e.at desc, e.id desc`,
		first)
}

// order is the sort order of a page: newest first or, after an entry, oldest first.
func (p Page) order() string {
	if p.After != 0 {
		return "at, id"
	}
	return "at desc, id desc"
}

// first is a scope: the entries of a page.
func (p Page) first(db *gorm.DB) *gorm.DB { return db.Order(p.order()).Limit(p.Limit) }

// ofPerson is a scope: the entries of the filter's person. It names the index of people, unless the
// filter is on a key too: a key has few entries of people, a person may have many of other things.
func (f Filter) ofPerson(db *gorm.DB) *gorm.DB {
	switch {
	case f.PersonID == "":
		return db
	case f.KeyID == "":
		db = db.Where("actor_kind = 'person'")
	}
	return db.Where("actor_id = ?", f.PersonID)
}

// ofKey is a scope: the entries of the filter's key.
func (f Filter) ofKey(db *gorm.DB) *gorm.DB {
	if f.KeyID == "" {
		return db
	}
	return db.Where("key_id = ?", f.KeyID)
}

// mayHaveSuccessor reports whether the filter admits the replacement that made its key, an entry
// about the old key.
func (f Filter) mayHaveSuccessor() bool {
	return f.KeyID != "" && f.Reason == "" && f.ForkID == "" &&
		(f.Action == "" || f.Action == KeyReplaced)
}

// successor finds the entry of the replacement that made the filter's key.
func (l *Log) successor(
	ctx context.Context, organisationID string, f Filter, within logRange,
) *gorm.DB {
	return l.entries(ctx, organisationID, "audit.list").Select("at, id").
		Scopes(within.scope, f.ofPerson).
		Where("action = 'api_key.replaced' and details->>'replacement' = ? and actor_kind in ?",
			f.KeyID, f.kinds())
}

// ofFork is a scope: the exports of the filter's fork. It names the index of forks.
func (f Filter) ofFork(db *gorm.DB) *gorm.DB {
	if f.ForkID == "" {
		return db
	}
	return db.Where("target_kind = 'fork' and target_id = ?", f.ForkID)
}

// cursor is a position in the log's order.
type cursor struct {
	at time.Time
	id int64
}

func (c cursor) compare(d cursor) int { return cmp.Or(c.at.Compare(d.at), cmp.Compare(c.id, d.id)) }

// logRange is a part of the log: from first on, before end.
type logRange struct{ first, end cursor }

// scope is a scope: the entries of the range.
func (r logRange) scope(db *gorm.DB) *gorm.DB {
	return db.Where("(at, id) >= (?, ?) and (at, id) < (?, ?)", r.first.at, r.first.id, r.end.at,
		r.end.id)
}

// rangeOf intersects the filter's time with the page's cursor, so that the index has two bounds, not
// four. It is empty for a cursor that is not in the log.
func (l *Log) rangeOf(ctx context.Context, organisationID string, p Page) (logRange, error) {
	within := logRange{first: cursor{at: p.Filter.From}, end: cursor{at: p.Filter.To}}
	if within.end.at.IsZero() {
		within.end.at = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	id := cmp.Or(p.Before, p.After, p.From)
	if id == 0 {
		return within, nil
	}
	var row entryRow
	err := l.entries(ctx, organisationID, "audit.cursor").Select("at").Where("id = ?", id).
		Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return logRange{}, nil
	}
	if err != nil {
		return logRange{}, fmt.Errorf("audit: cursor: %w", err)
	}
	switch {
	case p.After != 0:
		within.first = slices.MaxFunc([]cursor{within.first, {row.At, id + 1}}, cursor.compare)
	case p.Before != 0:
		within.end = slices.MinFunc([]cursor{within.end, {row.At, id}}, cursor.compare)
	default:
		within.end = slices.MinFunc([]cursor{within.end, {row.At, id + 1}}, cursor.compare)
	}
	return within, nil
}

// maxPeople bounds People.
const maxPeople = 200

// People returns the people who acted in the organisation's log, by id, at most 200, each with the
// name in one of the entries.
func (l *Log) People(ctx context.Context, organisationID string) ([]Actor, error) {
	var rows []entryRow
	// By hand: a loose index scan finds the next person in one step; "distinct" would read the log.
	err := tenant.Raw(l.db.Gorm.WithContext(ctx), organisationID, `/* audit.people */
		with recursive people as (
			(select actor_id, actor_name from audit_entries where org_id = @org and actor_kind = 'person'
			  order by actor_id desc, action desc, reason desc, at desc, id desc limit 1)
			union all
			select next.* from people p, lateral (
				select actor_id, actor_name from audit_entries
				  where org_id = @org and actor_kind = 'person' and actor_id < p.actor_id
				 order by actor_id desc, action desc, reason desc, at desc, id desc limit 1) next
		)
		select actor_id, actor_name from people limit ?`, maxPeople).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("audit: people: %w", err)
	}
	people := make([]Actor, len(rows))
	for i, r := range rows {
		people[i] = Actor{Kind: Person, ID: r.ActorID, Name: r.ActorName}
	}
	slices.Reverse(people)
	return people, nil
}
