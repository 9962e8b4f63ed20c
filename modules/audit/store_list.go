package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// List returns a page of the organisation's log, newest first.
func (l *Log) List(ctx context.Context, organisationID string, p Page) ([]Entry, error) {
	within, err := l.rangeOf(ctx, organisationID, p)
	if err != nil {
		return nil, err
	}
	sql, args := listSQL(organisationID, p, within)
	rows, err := l.db.Pool.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("audit: list: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[entryRow])
	if err != nil {
		return nil, fmt.Errorf("audit: list: %w", err)
	}
	entries := make([]Entry, len(found))
	for i, r := range found {
		if entries[i], err = r.entry(); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// listSQL finds the page's entries by indexes alone, and then reads them. The work is bounded by the page, whatever the
// filter: for each combination of kind of actor, action and reason that entries can have and the filter leaves, it takes the
// first entries of an index with all of these before the instant, and of them all the first. A plain "where" would read
// through the whole log for a combination that is rare in it.
func listSQL(organisationID string, p Page, within logRange) (string, pgx.NamedArgs) {
	f := p.Filter
	args := pgx.NamedArgs{
		"organisation": organisationID, "limit": p.Limit,
		"first": within.first.at, "firstID": within.first.id, "end": within.end.at, "endID": within.end.id,
	}
	order := " order by at desc, id desc limit @limit"
	if p.After != 0 {
		order = " order by at, id limit @limit"
	}
	front := `select at, id from audit_entries where org_id = @organisation
		and (at, id) >= (@first::timestamptz, @firstID::bigint) and (at, id) < (@end::timestamptz, @endID::bigint)`
	if f.selective() {
		front += " and actor_kind = k and action = a and reason = r"
		args["person"], args["key"] = f.PersonID, f.KeyID
		switch { // a key has few entries of people, a person may have many of other things
		case f.KeyID != "" && f.PersonID != "":
			front += " and key_id = @key and actor_id = @person"
		case f.KeyID != "":
			front += " and key_id = @key"
		case f.PersonID != "":
			front += " and actor_kind = 'person' and actor_id = @person" // as in the index of people
		}
		args["kinds"] = f.kinds()
		args["actions"], args["reasons"] = f.actionsAndReasons()
		front = `select f.at, f.id from unnest(@kinds::text[]) k, unnest(@actions::text[], @reasons::text[]) w(a, r),
			lateral (` + front + order + `) f`
	}
	return `/* audit.list */
		select ` + entryColumns + ` from (` + front + order + `) page
		  join audit_entries e on e.org_id = @organisation and e.id = page.id
		 order by e.at desc, e.id desc`, args
}

const entryColumns = `e.id, e.org_id::text, e.at, e.actor_kind, e.actor_id, e.actor_name, e.action, e.target_kind, e.target_id, e.reason,
	e.details, e.method, e.path, e.address, e.user_agent, e.request_id`

// cursor is a position in the log's order.
type cursor struct {
	at time.Time
	id int64
}

func (c cursor) compare(d cursor) int { return cmp.Or(c.at.Compare(d.at), cmp.Compare(c.id, d.id)) }

// logRange is a part of the log: from first on, before end.
type logRange struct{ first, end cursor }

// rangeOf returns the range of the filter's time and the page's entry together: two bounds for the index, not four. It is
// empty for an entry that the organisation does not have.
func (l *Log) rangeOf(ctx context.Context, organisationID string, p Page) (logRange, error) {
	within := logRange{first: cursor{at: p.Filter.From}, end: cursor{at: p.Filter.To}}
	if within.end.at.IsZero() {
		within.end.at = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	id := cmp.Or(p.Before, p.After, p.From)
	if id == 0 {
		return within, nil
	}
	var at time.Time
	err := l.db.Pool.QueryRow(ctx, "/* audit.cursor */ select at from audit_entries where org_id = $1 and id = $2", organisationID, id).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return logRange{}, nil
	}
	if err != nil {
		return logRange{}, fmt.Errorf("audit: cursor: %w", err)
	}
	switch {
	case p.After != 0:
		within.first = slices.MaxFunc([]cursor{within.first, {at, id + 1}}, cursor.compare)
	case p.Before != 0:
		within.end = slices.MinFunc([]cursor{within.end, {at, id}}, cursor.compare)
	default:
		within.end = slices.MinFunc([]cursor{within.end, {at, id + 1}}, cursor.compare)
	}
	return within, nil
}

// maxPeople bounds People.
const maxPeople = 200

// People returns the people who acted in the organisation's log: at most 200, by id, each with the name in one of the
// entries. One step into an index finds the next of them, without a read of the log.
func (l *Log) People(ctx context.Context, organisationID string) ([]Actor, error) {
	rows, err := l.db.Pool.Query(ctx, `/* audit.people */
		with recursive people as (
			(select actor_id, actor_name from audit_entries where org_id = $1 and actor_kind = 'person'
			  order by actor_id desc, action desc, reason desc, at desc, id desc limit 1)
			union all
			select next.* from people p, lateral (
				select actor_id, actor_name from audit_entries where org_id = $1 and actor_kind = 'person' and actor_id < p.actor_id
				 order by actor_id desc, action desc, reason desc, at desc, id desc limit 1) next
		)
		select actor_id, actor_name from people limit $2`, organisationID, maxPeople)
	if err != nil {
		return nil, fmt.Errorf("audit: people: %w", err)
	}
	people, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Actor, error) {
		a := Actor{Kind: Person}
		return a, row.Scan(&a.ID, &a.Name)
	})
	if err != nil {
		return nil, fmt.Errorf("audit: people: %w", err)
	}
	slices.Reverse(people)
	return people, nil
}
