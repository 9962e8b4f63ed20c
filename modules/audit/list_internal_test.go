package audit

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"dg/platform/testkit/pgtest"
)

// filtered returns filters on manyEntries: common, rare and without entries, alone and combined.
func filtered(last time.Time) map[string]Filter {
	day := 24 * time.Hour
	return map[string]Filter{
		"nothing":                      {},
		"people":                       {Kind: Person},
		"a common person":              {Kind: Person, PersonID: "person-1"},
		"a rare person":                {PersonID: "person-rare"},
		"a common action":              {Action: KeyRefused},
		"a rare action":                {Action: KeyRevoked},
		"an action without entries":    {Action: ReportingModeChanged},
		"a common key":                 {KeyID: "key-0"},
		"a rare key":                   {KeyID: "key-rare"},
		"a common reason":              {Reason: WrongSecret},
		"a rare reason":                {Reason: Expired},
		"a reason without entries":     {Reason: OutsideAPI},
		"a day without entries":        {From: last.Add(-200 * day), To: last.Add(-199 * day)},
		"a common key, a rare action":  {KeyID: "key-0", Action: KeyCreated},
		"a common key, a rare reason":  {KeyID: "key-0", Reason: Expired},
		"a person and a key":           {PersonID: "person-1", KeyID: "key-0"},
		"a common key, the oldest day": {KeyID: "key-0", To: last.Add(-99 * day)},
		"all at once": {Kind: Key, Action: KeyRefused, KeyID: "key-0", Reason: WrongSecret,
			From: last.Add(-50 * day), To: last},
	}
}

const (
	many     = 100_000
	manyOrg  = "00000000-0000-4000-8000-00000000000a"
	otherOrg = "00000000-0000-4000-8000-00000000000b"
)

// manyEntries stores 100,000 entries in one log and 10,000 in another. A quarter are of people,
// nearly all others of one key. Some actions and reasons are very rare.
func manyEntries(t *testing.T, db *pgtest.Database, last time.Time) {
	t.Helper()
	for i, id := range []string{manyOrg, otherOrg} {
		_, err := db.Owner.Pool.Exec(t.Context(),
			`insert into organisations (id, slug, name, plan, reporting_mode)
			values ($1, $2, $2, 'pro', 'pseudonymous')`, id, fmt.Sprintf("org-%d", i))
		require.NoError(t, err)
		_, err = db.Owner.Pool.Exec(t.Context(), `
			insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action,
			  target_kind, target_id, reason,
			                           method, path, address, user_agent, request_id)
			select $1, $2::timestamptz - ($3 - n) * interval '86.4 s', kind,
			       case kind when 'key' then key else case n when 4 then 'person-rare'
			         else 'person-' || n % 5 end end, 'a name', action,
			       case when action like 'api_key%' then 'api_key' else 'fork' end,
			       case when action like 'api_key%' then key else 'fork-1' end, reason,
			       'GET', '/api/v1/forks', '192.0.2.1', repeat('u', 100), 'request-' || n
			  from (select n, case when n % 4 = 0 then 'person' else 'key' end as kind,
			               case when n % 50000 = 1 then 'key-rare' when n % 20 < 19 then 'key-0'
			                 else 'key-' || n % 7 end as key,
			               case when n % 5000 = 0 then 'api_key.created' when n % 10000 = 100 then 'api_key.revoked'
			                    when n % 4 = 0 then 'export.started'
			                    when n % 3 = 0 then 'export.started' else 'api_key.refused' end as action,
			               case when n % 3 = 0 or n % 4 = 0 then '' when n = 77777 then 'expired'
			                 else 'wrong_secret' end as reason
			          from generate_series(1, $3::int) n) e`, id, last, many/(1+9*i))
		require.NoError(t, err)
	}
	_, err := db.Owner.Pool.Exec(t.Context(), `analyze audit_entries`)
	require.NoError(t, err)
}

// A page reads a bounded number of index pages under every filter. The table and its indexes have
// 20,000 pages.
func TestPageOfALargeLogIsReadFromIndexes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	last := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	manyEntries(t, db, last)
	log := New(db.DB)
	var middle int64
	require.NoError(t,
		db.DB.Pool.QueryRow(t.Context(),
			`select id from audit_entries where org_id = $1 order by at offset $2 limit 1`,
			manyOrg, many/2).Scan(&middle))
	for name, f := range filtered(last) {
		for place, p := range map[string]Page{
			"newest": {Filter: f, Limit: 51},
			"older":  {Filter: f, Before: middle, Limit: 51},
			"newer":  {Filter: f, After: middle, Limit: 51},
		} {
			within, err := log.rangeOf(t.Context(), manyOrg, p)
			require.NoError(t, err)
			list := log.page(t.Context(), manyOrg, p, within).Session(&gorm.Session{DryRun: true}).
				Find(&[]entryRow{}).Statement
			var text string
			err = db.DB.Pool.QueryRow(t.Context(),
				"explain (analyze, buffers, format json) "+list.SQL.String(), list.Vars...).
				Scan(&text)
			require.NoError(t, err, "%s, %s", name, place)
			var plans []struct{ Plan map[string]any }
			require.NoError(t, json.Unmarshal([]byte(text), &plans))
			pages := plans[0].Plan["Shared Hit Blocks"].(float64) +
				plans[0].Plan["Shared Read Blocks"].(float64)
			require.NotContains(t, text, "Seq Scan", "%s, %s", name, place)
			require.Less(t, pages, 1500.0, "%s, %s", name, place)
		}
	}
}
