package chaos

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// proof runs statements as the owner of the tables, under row-level security. The setting dg.org selects the visible
// rows: those of one organisation, of everyone or of no one.
//
// A statement is scoped if its result with one organisation's rows equals that with all rows, and if it changes no
// other rows. Then the rows of each organisation move to the next one, and both must hold again. The parameters
// then name the old organisation, but ids of rows that the next one has.
type proof struct {
	t             *testing.T
	admin         *pgx.Conn
	tables        map[string]string // the column with the organisation, by table
	organisations []string
	checksums     []string        // a checksum of the rows of each table and organisation
	rowsMoved     bool            // whether the rows have moved to the next organisation
	usesOrgTable  map[string]bool // by SQL text: whether the statement uses an organisation's table
	dependsOnRows map[string]bool // by tag: whether the statement needs rows of an organisation, or uses no such table
}

const everyone, noOne = "everyone", "no one"

var (
	sqlStatePattern = regexp.MustCompile(`^[0-9A-Z]{5}$`)
	writeTagPattern = regexp.MustCompile(`^(INSERT|UPDATE|DELETE|MERGE) `)
)

// newProof adds row-level security to the tables of organisations. The serving role loses its rights on them.
func newProof(t *testing.T, databaseURL string) *proof {
	p := &proof{t: t, tables: map[string]string{"organisations": "id"}, usesOrgTable: map[string]bool{},
		dependsOnRows: map[string]bool{}}
	p.admin = tb.Must(pgx.Connect(t.Context(), tb.AsRole(databaseURL, "postgres")))(t)
	t.Cleanup(func() { _ = p.admin.Close(t.Context()) })
	for _, table := range p.queryStrings(`select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'org_id'`) {
		p.tables[table] = "org_id"
	}
	p.organisations = p.queryStrings(`select id::text from organisations order by 1`)
	p.exec(`grant all on all tables in schema public to dg_app`)
	for table, column := range p.tables {
		p.exec(fmt.Sprintf(`revoke all on %[1]s from dg_app;
			alter table %[1]s enable row level security, force row level security;
			create policy visible on %[1]s using (current_setting('dg.org') in (%[2]s::text, 'everyone'))`,
			table, column))
		owners := p.queryStrings(fmt.Sprintf(`select distinct %s::text from %s`, column, table))
		require.Greater(t, len(owners), 1, "%s needs rows of several organisations", table)
	}
	p.checksums = p.readChecksums()
	return p
}

func (p *proof) exec(sql string) {
	require.NoError(p.t, tb.ErrorOf(p.admin.Exec(p.t.Context(), sql)), sql)
}

func (p *proof) queryStrings(sql string) []string {
	rows, err := p.admin.Query(p.t.Context(), sql)
	require.NoError(p.t, err, sql)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(p.t, err, sql)
	return texts
}

// readChecksums returns a checksum of the rows of each table and organisation. Each text ends with the organisation.
func (p *proof) readChecksums() []string {
	var selects []string
	for table, column := range p.tables {
		selects = append(selects,
			fmt.Sprintf(`select concat_ws(' ', '%[1]s', md5(string_agg(x::text, '' order by x::text)), %[2]s)
			from %[1]s x group by %[2]s`, table, column))
	}
	return p.queryStrings(strings.Join(selects, " union all "))
}

func (p *proof) moveRows() {
	p.exec(`rollback; set session_replication_role = replica;
		create temp table moves (giver uuid, taker uuid, interim uuid)`)
	for i, giver := range p.organisations {
		taker := p.organisations[(i+1)%len(p.organisations)]
		p.exec(fmt.Sprintf(`insert into moves values ('%s', '%s', gen_random_uuid())`, giver, taker))
	}
	for table, column := range p.tables {
		p.exec(fmt.Sprintf(`alter table %[1]s disable trigger all;
			update %[1]s set %[2]s = interim from moves where giver = %[2]s;
			update %[1]s set %[2]s = taker from moves where interim = %[2]s;
			alter table %[1]s enable trigger all`, table, column))
	}
	p.exec(`set session_replication_role = origin`)
	p.rowsMoved = true
	p.checksums = p.readChecksums()
}

// run runs a statement as a role. It returns its rows, its command tag or its error code. The next run rolls it back.
func (p *proof) run(s sentStatement, role, visibleOrg string) string {
	p.exec(fmt.Sprintf(`rollback; begin; set local role %s; set local dg.org = '%s'`, role, visibleOrg))
	result := p.admin.PgConn().ExecParams(p.t.Context(), s.sql, s.values, nil, s.formats, nil).Read()
	if pgErr, ok := errors.AsType[*pgconn.PgError](result.Err); ok {
		return pgErr.Code
	}
	require.NoError(p.t, result.Err, s.sql)
	if !result.CommandTag.Select() {
		return result.CommandTag.String()
	}
	var rows []string
	for _, row := range result.Rows {
		rows = append(rows, fmt.Sprintf("%q", row))
	}
	slices.Sort(rows)
	return "rows:\n" + strings.Join(rows, "\n")
}

func (p *proof) changedOrganisations() (organisations []string) {
	p.exec(`reset role`)
	for _, row := range p.readChecksums() {
		if !slices.Contains(p.checksums, row) {
			organisations = append(organisations, row[strings.LastIndex(row, " ")+1:])
		}
	}
	return organisations
}

func (p *proof) usesOrganisationTable(s sentStatement) bool {
	if _, cached := p.usesOrgTable[s.sql]; !cached {
		p.usesOrgTable[s.sql] = p.run(s, "dg_app", everyone) == "42501" // the role may not read the table
	}
	return p.usesOrgTable[s.sql]
}

// sufficientFor returns the candidates, organisations or noOne, whose rows alone give the statement's result.
func (p *proof) sufficientFor(s sentStatement, candidates []string) (sufficient []string) {
	result := p.run(s, "dg_owner", everyone)
	if sqlStatePattern.MatchString(result) { // a failed statement reads and changes nothing
		require.True(p.t, p.rowsMoved, "%s: %s", result, s.sql)
		return candidates
	}
	var changedOrgs []string
	if writeTagPattern.MatchString(result) {
		changedOrgs = p.changedOrganisations()
	}
	for _, o := range candidates {
		changesOthers := slices.ContainsFunc(changedOrgs, func(c string) bool { return c != o })
		if !changesOthers && p.run(s, "dg_owner", o) == result {
			sufficient = append(sufficient, o)
		}
	}
	return sufficient
}

// unscopedByTag returns the unscoped statements by their tags. It moves all rows, so it runs only once.
func (p *proof) unscopedByTag(sent []sentStatement) (byTag map[string]string) {
	byTag = map[string]string{}
	type candidate struct {
		sentStatement
		sufficient []string
	}
	var candidates []candidate
	for _, s := range sent {
		if !p.usesOrganisationTable(s) {
			p.dependsOnRows[s.tag()] = true
			continue
		}
		require.Regexp(p.t, tagPattern, s.sql, "a statement on an organisation's table names no caller")
		sufficient := p.sufficientFor(s, append(slices.Clone(p.organisations), noOne))
		p.dependsOnRows[s.tag()] = p.dependsOnRows[s.tag()] || !slices.Contains(sufficient, noOne)
		candidates = append(candidates, candidate{s, sufficient})
	}
	p.moveRows()
	for _, c := range candidates {
		if len(p.sufficientFor(c.sentStatement, c.sufficient)) == 0 {
			byTag[c.tag()] = c.sql
		}
	}
	return byTag
}
