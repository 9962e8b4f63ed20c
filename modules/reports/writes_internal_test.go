package reports

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"dg/modules/games"
	"dg/modules/importer"
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

// importSome imports new plays and changed ones, which often move to another day.
func (e *env) importSome(ctx context.Context, random *rand.Rand, im *importer.Importer) error {
	type line struct{ ID, ForkID, PlayerID string }
	at := testFrom.Add(time.Duration(random.IntN(100)) * day)
	rows, err := e.DB.Pool.Query(ctx, `
		(select p.id::text, p.fork_id::text, o.id::text from plays p
		 join players o on o.org_id = p.org_id and o.ordinal = p.player
		  where p.org_id = $1 and p.started_at >= $2 order by p.started_at limit $3)
		union all
		(select gen_random_uuid()::text, case when random() < 0.8 then $5 else $6 end, o.id::text from players o
		  where o.org_id = $1 order by random() limit $4)`, testOrg, at, random.IntN(20),
		random.IntN(20), testFork, otherFork)
	if err != nil {
		return err
	}
	plays, err := pgx.CollectRows(rows, pgx.RowToStructByPos[line])
	if err != nil {
		return err
	}
	var file strings.Builder
	for _, p := range plays {
		started := at.Add(time.Duration(random.Int64N(int64(3 * day)))).Truncate(time.Millisecond)
		fmt.Fprintf(&file,
			`{"type":"play","id":%q,"forkId":%q,"playerId":%q,"startedAt":%q,"skills":[{"skillId":%q,"attempts":%d,"correct":1}]`,
			p.ID, p.ForkID, p.PlayerID, started.Format(time.RFC3339Nano),
			games.Skill(random.IntN(games.SkillCount)).ID(), 1+random.IntN(3))
		if random.IntN(3) > 0 {
			fmt.Fprintf(&file, `,"completedAt":%q,"scorePercent":%d,"passed":%t`,
				started.Add(time.Minute).Format(time.RFC3339Nano), random.IntN(101),
				random.IntN(2) == 0)
		}
		file.WriteString("}\n")
	}
	plain := importer.Input{Name: "plays", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(file.String())), nil
	}}
	_, err = im.Import(ctx, []importer.Input{plain}, nil)
	return err
}
