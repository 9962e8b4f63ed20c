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

// List returns a part of the organisation's log, newest first.
func (l *Log) List(ctx context.Context, organisationID string, p Page) ([]Entry, error) {
	between, err := l.stretch(ctx, organisationID, p)
	if err != nil {
		return nil, err
	}
	sql, args := listSQL(organisationID, p, between)
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

// listSQL finds the page's entries by indexes alone, and then reads them. Whatever is filtered by, the work is bounded by the
// page: for each combination of kind of actor, action and reason that there can be and that the filter leaves, the first entries are taken from the
// front of an index that has all of these in front of the instant, and the first of them all are the page. A plain "where"
// would look through the whole log for a combination that is rare in it.
func listSQL(organisationID string, p Page, s stretch) (string, pgx.NamedArgs) {
	f := p.Filter
	args := pgx.NamedArgs{
		"organisation": organisationID, "limit": p.Limit,
		"first": s.first.at, "firstID": s.first.id, "end": s.end.at, "endID": s.end.id,
	}
	order := " order by at desc, id desc limit @limit"
	if p.After != 0 {
		order = " order by at, id limit @limit"
	}
	front := `select at, id from audit_entries where org_id = @organisation
		and (at, id) >= (@first::timestamptz, @firstID::bigint) and (at, id) < (@end::timestamptz, @endID::bigint)`
	if f.combined() {
		front += " and actor_kind = k and action = a and reason = r"
		args["person"], args["key"] = f.PersonID, f.KeyID
		switch { // a key has few entries of people, a person may have many of other things
		case f.KeyID != "" && f.PersonID != "":
			front += " and key_id = @key and actor_id = @person"
		case f.KeyID != "":
			front += " and key_id = @key"
		case f.PersonID != "":
			front += " and actor_kind = 'person' and actor_id = @person" // as the index of people has it
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

// place is one in the log's order.
type place struct {
	at time.Time
	id int64
}

// stretch is the part of a log's order in which a page lies: from its first place on, before its end.
type stretch struct{ first, end place }

// stretch puts days and the entry that the page is named by together: two ends for the index, not four. Before or after an
// entry that the organisation does not have there is nothing.
func (l *Log) stretch(ctx context.Context, organisationID string, p Page) (stretch, error) {
	s := stretch{first: place{at: p.Filter.From}, end: place{at: p.Filter.To}}
	if s.end.at.IsZero() {
		s.end.at = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	edge := cmp.Or(p.Before, p.After, p.From)
	if edge == 0 {
		return s, nil
	}
	var at time.Time
	err := l.db.Pool.QueryRow(ctx, "/* audit.place */ select at from audit_entries where org_id = $1 and id = $2", organisationID, edge).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return stretch{}, nil
	}
	if err != nil {
		return stretch{}, fmt.Errorf("audit: place: %w", err)
	}
	switch {
	case p.After != 0:
		s.first = later(s.first, place{at, edge + 1})
	case p.Before != 0:
		s.end = earlier(s.end, place{at, edge})
	default:
		s.end = earlier(s.end, place{at, edge + 1})
	}
	return s, nil
}

func earlier(p, q place) place {
	if p.at.Before(q.at) || p.at.Equal(q.at) && p.id < q.id {
		return p
	}
	return q
}

func later(p, q place) place {
	if earlier(p, q) == p {
		return q
	}
	return p
}

// combined says whether more than instants is filtered by.
func (f Filter) combined() bool {
	return f.Kind != "" || f.PersonID != "" || f.Action != "" || f.KeyID != "" || f.Reason != ""
}

// kinds is without any for a person who is asked for as a key.
func (f Filter) kinds() []string {
	if f.PersonID != "" && f.Kind == Key {
		return []string{}
	}
	if f.PersonID != "" {
		return []string{string(Person)}
	}
	return only(string(f.Kind), string(Person), string(Key))
}

// actionsAndReasons are the pairs that entries can have, the reason of each action in the second list: few, although there
// are many of either.
func (f Filter) actionsAndReasons() (actions, reasons []string) {
	for _, a := range only(string(f.Action), texts(Actions)...) {
		for _, r := range append(texts(Action(a).reasons()), "") {
			if f.Reason == "" || f.Reason == Reason(r) {
				actions, reasons = append(actions, a), append(reasons, r)
			}
		}
	}
	return actions, reasons
}

// only is the one that is asked for, or all.
func only(one string, all ...string) []string {
	if one != "" {
		return []string{one}
	}
	return all
}

func texts[T ~string](all []T) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = string(one)
	}
	return out
}

// maxPeople bounds People.
const maxPeople = 200

// People returns who acted in the organisation's log, but its keys: at most 200 people, by id, each as one of its entries
// names it. Each is found by one step into an index, not by reading the log.
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
