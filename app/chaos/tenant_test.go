package chaos

import (
	"bytes"
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
	`^identity\.(addPerson|insertReset|lockEmail|reencrypt|staleSecrets|twoStepSecrets|useRecoveryCode|` +
	`markAuthenticated|checkValue|lockSecrets|storeCheckValue|` +
	`lockSecretKey|lockUsers|rewriteEmailKey|unusualEmails)$`)

// plantedStatements are unscoped statements, which the proof must find. $1 is an organisation, or in byID a fork.
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
	p := newProof(t, w.db.OwnerURL)
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
