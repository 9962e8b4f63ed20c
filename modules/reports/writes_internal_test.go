package reports

import (
	"context"
	"math/rand/v2"
	"time"

	"dg/platform/postgres"
)

// write inserts, changes, moves or deletes random plays of one, some or many days.
func (e *env) write(ctx context.Context, random *rand.Rand, db *postgres.DB) error {
	at := testFrom.Add(time.Duration(random.IntN(100)) * day)
	pick := `id in (select id from plays where started_at >= $1 order by started_at limit $2)`
	var err error
	switch random.IntN(8) {
	case 0, 1, 2:
		_, err = db.Pool.Exec(ctx, insertSQL, at, 1, 1)
	case 3:
		_, err = db.Pool.Exec(ctx, insertSQL, testFrom, 100, 150)
	case 4:
		_, err = db.Pool.Exec(ctx,
			`update plays set score = 5000, passed = true, completed_at = coalesce(completed_at, started_at) where `+
				pick,
			at, 1+random.IntN(3))
	case 5:
		_, err = db.Pool.Exec(ctx,
			`update plays set started_at = started_at - interval '40 days', fork_id = '`+testFork+
				`' where completed_at is null and `+pick, at, 1)
	case 7: // a player is erased, and another comes
		_, err = db.Pool.Exec(ctx,
			`with gone as (delete from players where ordinal = (select min(ordinal) from players) returning 1),
			next as (update player_ordinals set last = last + 1 where exists (select from gone) returning last)
			insert into players (id, org_id, ordinal, label, display_name) select gen_random_uuid(), '`+
				testOrg+`', last, 'P-' || last, 'Player ' || last from next`)
	case 6:
		_, err = db.Pool.Exec(ctx, `delete from plays where `+pick, at, 1+random.IntN(20))
	}
	return err
}

// importSome writes as an import does: it inserts plays, and moves stored ones to other days.
func (e *env) importSome(ctx context.Context, random *rand.Rand, db *postgres.DB) error {
	at := testFrom.Add(time.Duration(random.IntN(100)) * day)
	_, err := db.Pool.Exec(ctx, `insert into plays (id, org_id, fork_id, player, started_at, answers)
		(select id, org_id, fork_id, player, $1, answers from plays
		  where started_at >= $1 order by started_at limit $2)
		union all
		(select gen_random_uuid(), org_id, $4, ordinal, $1, '\x01' from players order by random() limit $3)
		on conflict (id) do update set started_at = excluded.started_at, completed_at = null,
		  score = null, passed = null`,
		at, random.IntN(20), random.IntN(20), []string{testFork, otherFork}[random.IntN(2)])
	return err
}
