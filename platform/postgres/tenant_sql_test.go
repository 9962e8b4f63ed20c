package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/postgres"
)

// Statements that say for each organisation's table which organisation's rows they mean.
func TestStatementsThatNameTheOrganisation(t *testing.T) {
	for _, sql := range []string{
		`select 1`,
		`/* plays */ select plays from games -- forks`,
		`select 'from forks'`,
		`select * from forks where org_id = $1`,
		`SELECT * FROM "forks" WHERE "forks"."org_id" = $1 AND id = $2 ORDER BY id`,
		`select * from forks f where f.id = ? and f.org_id = ? and (f.slug = '' or true)`,
		`select * from forks where org_id = any($1::uuid[])`,
		`select * from organisations where id = @organisation`,
		`select * from api_keys k join organisations o on o.id = k.org_id where k.org_id = ?`,
		`select * from organisations o left join players n on n.org_id = o.id, forks f where f.org_id = n.org_id and o.id = $1`,
		`select (select version from organisations where id = $1) from forks where org_id = $1`,
		`select * from forks where org_id = $1 union select * from forks where org_id = $1 and id = $2`,
		`select * from (select d.* from (select * from fork_days x) d where d.day > $3) d where d.org_id = $1`,
		`select * from organisations o where exists (select from plays p where p.org_id = o.id) and o.id = $1`,
		`with mine as (select id from forks where org_id = $1) select * from mine`,
		`insert into forks (id, org_id) values ($1, $2)`,
		`insert into audit_bursts as b (id, org_id) select $1, $2 on conflict do nothing`,
		`update forks set title = $1 where id = $2 and org_id = $3 returning id`,
		`delete from fork_days where org_id = $1 and day = $2`,
		`lock table plays in access share mode`,
		`analyze plays`,
	} {
		require.Empty(t, postgres.UnscopedTable(sql), sql)
	}
}

// Statements that read or write rows of any organisation.
func TestStatementsThatNameNoOrganisation(t *testing.T) {
	for sql, table := range map[string]string{
		`select * from forks`:                                                                               "forks",
		`SELECT * FROM "forks" WHERE "forks"."id" = $1`:                                                     "forks",
		`select * from forks where org_id is not null`:                                                      "forks",
		`select * from forks where org_id = org_id`:                                                         "forks",
		`select * from forks where org_id = 'x'`:                                                            "forks",
		`select * from forks where org_id <> $1`:                                                            "forks",
		`select * from forks where not org_id = $1`:                                                         "forks",
		`select * from forks where org_id = $1 or true`:                                                     "forks",
		`select * from forks where case when org_id = $1 then true else true end`:                           "forks",
		`select * from forks /* where org_id = $1 */`:                                                       "forks",
		`select org_id = $1 from forks`:                                                                     "forks",
		`select * from forks f, plays p where f.org_id = $1 and p.fork_id = f.id`:                           "plays",
		`select * from forks f join plays p on p.org_id = f.org_id`:                                         "forks",
		`select * from forks where org_id = $1 union all select * from forks`:                               "forks",
		`select * from forks where org_id = $1; select * from plays`:                                        "plays",
		`select * from forks f where f.org_id = $1 and exists (select from plays p where p.fork_id = f.id)`: "plays",
		`select * from (select * from forks) f where f.id = $1`:                                             "forks",
		`with mine as (select id, org_id from forks) select * from mine where mine.org_id = $1`:             "forks",
		`select * from organisations where slug = $1`:                                                       "organisations",
		`select * from memberships m join organisations o on o.id = m.org_id where m.user_id = $1`:          "memberships",
		`insert into forks (id) values ($1)`:                                                                "forks",
		`insert into player_ordinals values ($1, 0)`:                                                        "player_ordinals",
		`insert into forks (id, org_id) select id, $1 from plays`:                                           "plays",
		`update forks set org_id = $1 where id = $2`:                                                        "forks",
		`delete from fork_days where day = $1`:                                                              "fork_days",
		`delete from group_members m using forks f where m.org_id = $1`:                                     "forks",
		`truncate plays`: "plays",
		`table plays`:    "plays",
	} {
		require.Equal(t, table, postgres.UnscopedTable(sql), sql)
	}
}
