package reports

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/platform/postgres"
)

const picked = `id in (select id from plays where started_at >= @at order by started_at limit @n)`

// writes insert, change, move or delete @n plays from @at on, or erase a player.
var writes = []string{
	insertSQL,
	`update plays set score = 5000, passed = true, completed_at = coalesce(completed_at, started_at)
		where ` + picked,
	`update plays set started_at = started_at - interval '40 days', fork_id = @fork
		where completed_at is null and ` + picked,
	`delete from plays where ` + picked,
	// a player is erased, and another comes
	`with gone as (delete from players where ordinal = (select min(ordinal) from players) returning 1),
		next as (update player_ordinals set last = last + 1 where exists (select from gone) returning last)
		insert into players (id, org_id, ordinal, label, display_name)
		select gen_random_uuid(), '` + testOrg + `', last, 'P-' || last, 'Player ' || last from next`,
	// an import inserts plays, and moves stored ones to other days
	`insert into plays (id, org_id, fork_id, player, started_at, answers)
		(select id, org_id, fork_id, player, @at, answers from plays where ` + picked + `)
		union all
		(select gen_random_uuid(), org_id, @fork, ordinal, @at, '\x01' from players
		  order by random() limit @n)
		on conflict (id) do update set started_at = excluded.started_at, completed_at = null,
		  score = null, passed = null`,
}

func write(ctx context.Context, random *rand.Rand, db *postgres.DB) error {
	sql := writes[random.IntN(len(writes))]
	args := pgx.NamedArgs{
		"at":   testFrom.Add(time.Duration(random.IntN(100)) * day),
		"fork": []string{testFork, otherFork}[random.IntN(2)],
		"days": 1, "n": 1 + random.IntN(9),
	}
	if random.IntN(8) == 0 {
		sql = insertSQL
		args["at"] = testFrom
		args["days"] = 100
		args["n"] = 150
	}
	_, err := db.Pool.Exec(ctx, sql, args)
	return err
}
