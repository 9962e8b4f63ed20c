package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/modules/apikeys"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// crossTenantReasons has the statements that are not scoped to an organisation, and why (rules.md, Data).
var crossTenantReasons = map[string]string{
	"apikeys.authenticate": "finds the key of a request by its id, and with it the organisation",
	"games.forkOwner":      "the use of another organisation's fork is refused, and audited as such",
	"reports.groupOwner":   "the use of another organisation's group is refused, and audited as such",
	"org.memberships":      "a person's own memberships",
	"org.organisationsOf":  "as org.memberships",
	"org.leaveAll":         "as org.memberships",
	"audit.appendToAll":    "an entry in the logs of all of a person's organisations",

	"apikeys.storeUsage":    "the program stores the counts of all keys",
	"apikeys.expiringInUse": "the operator's metrics count the keys of every organisation",

	"reports.playsOfForks": "counts the plays of the organisation's own forks, by the index of forks",
	"reports.allForks":     "the sealer works for all organisations",
	"reports.markAll":      "as reports.allForks",
	"reports.sealDay":      "replaces the segment of a fork, whose organisation reports.allForks has found",
	"reports.sealMonth":    "as reports.sealDay",

	"org.playerOwner": "the operator names a player by its id alone",
	"org.bySlug":      "the operator names an organisation by its slug alone",
	"org.all":         "the operator lists every organisation",
}

// unsentTagPattern matches the tags of statements that no request sends, such as those of imports.
var unsentTagPattern = regexp.MustCompile(`^importer\.|` +
	`^reports\.labelsVersion$|^audit\.appendChanges$|^org\.(create|addMember)$|` +
	`^identity\.(addPerson|personByEmail|insertReset|lockEmail|reencrypt|staleSecrets|twoStepSecrets|useRecoveryCode|` +
	`markAuthenticated|checkValue|lockSecrets|storeCheckValue|` +
	`lockSecretKey|lockUsers|recheck|rewriteEmailKey|unusualEmails)$`)

// plantedStatements are unscoped statements, which the prover must find. $1 is an organisation, or in byID a fork.
var plantedStatements = map[string]string{
	"planted.notNull":  `select id from forks where org_id = $1 is not null`,
	"planted.brackets": `select forks.id from (forks cross join games) where $1::text <> ''`,
	"planted.leftJoin": `select count(*) from forks f
		left join player_groups g on g.org_id = f.org_id and f.org_id = $1`,
	"planted.merge": `merge into forks f using organisations o on f.org_id = $1 is not null and o.id = $1
		when matched then update set title = 'x'`,
	"planted.byID": `update forks set title = 'x' where id = $1`,
	"planted.into": `insert into player_groups (id, org_id, name)
		select gen_random_uuid(), id, 'x' from organisations where id <> $1`,
}

// rules.md, Data: every statement of the program needs only the rows of one organisation, except crossTenantReasons.
func TestStatementsAreScopedToAnOrganisation(t *testing.T) {
	t.Parallel()
	rec := &recorder{statements: map[string]sentStatement{}}
	proxyURL := func(url string) string { return apptest.ProxyDatabase(t, url, rec.pass) }
	w := newRequestWorld(t, proxyURL, (*requestWorld).storeMoreRows)
	w.sendEverything(proxyURL(w.db.OwnerURL))
	p := newProver(t, w.db.OwnerURL)
	for name, sql := range plantedStatements {
		value := p.organisations[0]
		if name == "planted.byID" {
			value = w.forks["acme"]
		}
		rec.statements[name] = sentStatement{sql: "/* " + name + " */ " + sql, values: [][]byte{[]byte(value)}}
	}
	unscoped := p.unscopedByTag(slices.Collect(maps.Values(rec.statements)))
	expected := slices.AppendSeq(slices.Collect(maps.Keys(crossTenantReasons)), maps.Keys(plantedStatements))
	require.ElementsMatch(t, expected, slices.Collect(maps.Keys(unscoped)))

	for _, tag := range programTags(t) {
		depends, sent := p.dependsOnRows[tag]
		assert.True(t, sent || unsentTagPattern.MatchString(tag), "no case sends %s", tag)
		assert.True(t, depends || !sent || crossTenantReasons[tag] != "" || tag == "reports.lockPlays",
			"%s reads and changes no row of an organisation", tag)
	}
}

func programTags(t *testing.T) (tags []string) {
	const modules = `(?:app|apikeys|audit|games|identity|org|reports|web)`
	tag := regexp.MustCompile(`(?:/\* |Tag\("|, "|^")(` + modules + `\.[\w.]+)(?: \*/|")`)
	for _, pattern := range []string{"app/commands/*.go", "modules/*/*.go", "modules/*/*/*.go", "modules/*/*.sql",
		"web/*.go", "web/*/*.go"} {
		for _, file := range tb.Must(filepath.Glob(apptest.RepositoryPath(pattern)))(t) {
			for _, match := range tag.FindAllStringSubmatch(apptest.ReadFile(t, file), -1) {
				if !strings.HasSuffix(file, "_test.go") {
					tags = append(tags, match[1])
				}
			}
		}
	}
	return tags
}

type recorder struct {
	mu         sync.Mutex
	statements map[string]sentStatement // by SQL and values
}

type sentStatement struct {
	sql     string
	values  [][]byte
	formats []int16 // format codes of values
}

var tagPattern = regexp.MustCompile(`/\* ([A-Za-z]+\.[A-Za-z]+) \*/`)

func (s sentStatement) tag() string {
	if match := tagPattern.FindStringSubmatch(s.sql); match != nil {
		return match[1]
	}
	return s.sql
}

func (r *recorder) pass(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	backend := pgproto3.NewBackend(client, nil)
	prepared := map[string]string{}
	m, err := backend.ReceiveStartupMessage()
	for ; err == nil; m, err = backend.Receive() {
		r.record(m, prepared)
		encoded, _ := m.Encode(nil)
		if _, err = server.Write(encoded); err != nil {
			return
		}
	}
}

func (r *recorder) record(m pgproto3.FrontendMessage, prepared map[string]string) {
	s := sentStatement{}
	switch m := m.(type) {
	case *pgproto3.Parse:
		prepared[m.Name] = m.Query
		return
	case *pgproto3.Bind:
		s = sentStatement{sql: prepared[m.PreparedStatement], formats: m.ParameterFormatCodes}
		for _, value := range m.Parameters { // the reader reuses its buffer
			s.values = append(s.values, bytes.Clone(value))
		}
	case *pgproto3.Query:
		s.sql = m.String
	default:
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.statements[s.sql+"\x00"+string(bytes.Join(s.values, []byte{0}))] = s
}

// storeMoreRows stores more rows, so that the result of every statement depends on at least one.
func (w *requestWorld) storeMoreRows() {
	fork := testkit.Fork{ID: w.forks["acme"], OrganisationID: w.organisationIDOf("acme")}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	w.db.AddPlays(fork, 12, time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC), time.Hour)
	w.db.AddPlays(fork, 12, today.AddDate(0, 0, -20), 8*time.Hour)
	tb.Must(newSealer(w.db.DB).Seal(w.t.Context()))(w.t)
	// These statements leave dirty marks without plays, an unsealed day, an unsealed month and damaged segments.
	w.db.Exec(`delete from plays where started_at < '2026-02-20'`)
	w.db.AddPlays(fork, 3, today.AddDate(0, 0, -2), time.Hour)
	w.db.Exec(`delete from fork_months where fork_id = $1`, w.forks["other"])
	for _, table := range []string{"fork_days", "fork_months"} {
		w.db.Exec(`update `+table+` set head_bytes = octet_length(segment) + 1 where fork_id = $1`, w.forks["named"])
	}

	w.db.Exec(`update api_keys set expires_at = now() + interval '10 days', last_used_at = now() - interval '1 day'
		where id = $1`, w.keyID)
	w.db.Exec(`insert into api_key_usage (org_id, key_id, day, accepted, refused, limited)
		select org_id, id, current_date - 1, 1, 1, 1 from api_keys`)
	w.db.Exec(`insert into memberships (org_id, user_id, role)
		select o.id, user_id, 'member' from organisations o, memberships where slug = 'below' limit 1`)
	w.db.Exec(`insert into audit_refusals (org_id, key_id, key_name, reason, at)
		select org_id, id, name, 'expired', now() - interval '1 hour' from api_keys`)
	w.db.Exec(`insert into audit_entries (org_id, at, actor_kind, actor_id, actor_name, action, target_kind,
			target_id, reason, method, path, address, user_agent, request_id)
		select id, '2026-01-15', 'person', 'p', 'P', 'export.started', 'fork', 'f', '', '', '', '', '', 'r'
		from organisations`)
}

// sendEverything sends the statements of every route and of operator commands, and restores the rows.
func (w *requestWorld) sendEverything(ownerURL string) {
	lastEntry := testkit.Query[string](w.db, `select max(e.id)::text from audit_entries e
		join organisations o on o.id = org_id where slug = 'acme'`)
	unsealedDay := time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	for _, request := range w.requests(endpointTable(w.t) + apiTable + pageTable() + screenTable + formTable + `
		key:acme HEAD /api/v1/forks/{fork}/exports/csv?from=` + unsealedDay + `&to=` + unsealedDay + ` 200
		owner GET /o/acme/settings/audit-log?before=` + lastEntry + ` 200
		key:acme GET /api/v1/forks/{fork}/stats?from=2026-03-01&to=2026-03-20 200`) {
		require.NotZero(w.t, w.send(request), request)
		w.awaitIdle()
		w.restoreTables()
	}
	require.NoError(w.t, apikeys.CheckUsable(w.t.Context(), w.Pools.Recheck, w.organisationIDOf("acme"), w.keyID))
	require.NoError(w.t, w.Keys.UsageCounter.Store(w.t.Context()))
	acme := w.organisationIDOf("acme")
	playerValue := func(column string) string {
		return testkit.Query[string](w.db, `select `+column+` from players where org_id = $1 limit 1`, acme)
	}
	for _, line := range []string{
		"organisation list", "organisation plan acme free", "member role acme member@acme.example owner",
		"member remove acme plain@acme.example", "erase " + playerValue("id::text"), "segments rebuild",
		"erase acme " + playerValue("label"), "account delete member@acme.example",
		"audit prune --before 2026-02 --export " + filepath.Join(w.t.TempDir(), "old"),
	} {
		status, _, stderr := apptest.RunCommand(w.t, append(strings.Fields(line),
			"--database-url", w.db.URL, "--migrate-database-url", ownerURL)...)
		require.Zero(w.t, status, "%s: %s", line, stderr)
		w.restoreTables()
	}
}

func (w *requestWorld) organisationIDOf(fork string) string {
	return testkit.Query[string](w.db, `select org_id::text from forks where id = $1`, w.forks[fork])
}

// prover runs statements as the owner of the tables, under row-level security. The setting dg.org selects the visible
// rows: those of one organisation, of everyone or of no one.
//
// A statement is scoped if its result with one organisation's rows equals that with all rows, and if it changes no
// other rows. Then the rows of each organisation move to the next one, and both must hold again. The parameters
// then name the old organisation, but ids of rows that the next one has.
type prover struct {
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

// newProver adds row-level security to the tables of organisations. The serving role loses its rights on them.
func newProver(t *testing.T, databaseURL string) *prover {
	p := &prover{t: t, tables: map[string]string{"organisations": "id"}, usesOrgTable: map[string]bool{},
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

func (p *prover) exec(sql string) {
	require.NoError(p.t, tb.ErrorOf(p.admin.Exec(p.t.Context(), sql)), sql)
}

func (p *prover) queryStrings(sql string) []string {
	rows, err := p.admin.Query(p.t.Context(), sql)
	require.NoError(p.t, err, sql)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(p.t, err, sql)
	return texts
}

// readChecksums returns a checksum of the rows of each table and organisation. Each text ends with the organisation.
func (p *prover) readChecksums() []string {
	var selects []string
	for table, column := range p.tables {
		selects = append(selects,
			fmt.Sprintf(`select concat_ws(' ', '%[1]s', md5(string_agg(x::text, '' order by x::text)), %[2]s)
			from %[1]s x group by %[2]s`, table, column))
	}
	return p.queryStrings(strings.Join(selects, " union all "))
}

func (p *prover) moveRows() {
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
func (p *prover) run(s sentStatement, role, visibleOrg string) string {
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

func (p *prover) changedOrganisations() (organisations []string) {
	p.exec(`reset role`)
	for _, row := range p.readChecksums() {
		if !slices.Contains(p.checksums, row) {
			organisations = append(organisations, row[strings.LastIndex(row, " ")+1:])
		}
	}
	return organisations
}

func (p *prover) usesOrganisationTable(s sentStatement) bool {
	if _, cached := p.usesOrgTable[s.sql]; !cached {
		p.usesOrgTable[s.sql] = p.run(s, "dg_app", everyone) == "42501" // the role may not read the table
	}
	return p.usesOrgTable[s.sql]
}

// sufficientFor returns the candidates, organisations or noOne, whose rows alone give the statement's result.
func (p *prover) sufficientFor(s sentStatement, candidates []string) (sufficient []string) {
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
func (p *prover) unscopedByTag(sent []sentStatement) (byTag map[string]string) {
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
