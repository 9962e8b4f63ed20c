package importer

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/identity"
	"dg/platform/testkit"
	"dg/platform/testkit/tb"
)

// worldLines has two organisations and objects of each type. fill replaces each $name by a UUID.
const worldLines = `
{"type":"organisation","id":"$acme","slug":"acme","name":"Acme","plan":"pro","reportingMode":"pseudonymous"}
{"type":"organisation","id":"$other","slug":"other","name":"Other","plan":"free","reportingMode":"nominative"}
{"type":"user","id":"$ann","email":"Ann@Example.com","name":"Ann","passwordHash":"$argon","totpSecret":"JBSWY3DPEHPK3PXP","locale":"en"}
{"type":"user","id":"$bob","email":"bob@example.com","name":"Bob"}
{"type":"membership","organisationId":"$acme","userId":"$ann","role":"owner"}
{"type":"game","id":"$game","slug":"game","title":"Game"}
{"type":"fork","id":"$fork","organisationId":"$acme","gameId":"$game","slug":"fork","title":"Fork","major":0,"status":"active","visibility":"public","sourceLocale":"en","deployedReleaseNumber":3,"suspended":false,"configuration":{"a":[1,{"b":null}]},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00.0009+01:00"}
{"type":"fork","id":"$fork2","organisationId":"$acme","gameId":"$game","slug":"fork-2","title":"Fork 2","major":2,"status":"archived","visibility":"restricted","sourceLocale":"de","suspended":true,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}
{"type":"player","id":"$p1","organisationId":"$acme","displayName":"One"}
{"type":"player","id":"$p2","organisationId":"$acme","displayName":"Two"}
{"type":"player","id":"$p3","organisationId":"$acme","displayName":"Three"}
{"type":"player","id":"$stranger","organisationId":"$other","displayName":"Stranger"}
{"type":"group","id":"$group","organisationId":"$acme","name":"Group","playerIds":["$p1","$p2"]}
{"type":"play","id":"$play","forkId":"$fork","playerId":"$p1","releaseNumber":3,"startedAt":"2026-03-01T09:30:00Z","completedAt":"2026-03-01T09:40:00.5Z","scorePercent":87.55,"passed":true,"skills":[{"skillId":"data.reading.charts","attempts":3,"correct":2}]}
{"type":"play","id":"$open","forkId":"$fork","playerId":"$p2","startedAt":"2026-03-02T09:30:00Z","skills":[]}
`

const argonHash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQxMjM0NTY3OA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

var placeholderPattern = regexp.MustCompile(`\$[a-z][a-z0-9]*`)

func fill(lines string) string {
	return placeholderPattern.ReplaceAllStringFunc(lines, func(name string) string {
		if name == "$argon" {
			return argonHash
		}
		return idOf(name[1:]).String()
	})
}

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)) }

func filledFile(name, lines string) Input { return rawFile(name, fill(lines)) }

func rawFile(name, content string) Input {
	return Input{name, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

type fixture struct {
	*testkit.World
	t *testing.T
}

func setup(t *testing.T) fixture {
	t.Parallel()
	b := fixture{World: testkit.New(t), t: t}
	b.requireImport(filledFile("world", worldLines))
	return b
}

func (b fixture) importFiles(files ...Input) ([]ObjectCount, error) {
	request := audit.Request{Method: "CLI", Path: "dg import", Address: "::1", UserAgent: "dg/1", ID: "r"}
	return Importer{Pool: b.Owner.Pool, Request: request}.Import(b.t.Context(), files, nil)
}

func (b fixture) requireImport(files ...Input) []ObjectCount {
	return tb.Must(b.importFiles(files...))(b.t)
}

// importErrors imports invalid files, and returns the texts of their errors. It requires that nothing has changed.
func (b fixture) importErrors(files ...Input) []string {
	before := b.tableChecksums()
	_, err := b.importFiles(files...)
	require.Error(b.t, err)
	require.Equal(b.t, before, b.tableChecksums(), "an import that fails changes nothing")
	return strings.Split(err.Error(), "\n")
}

// tableChecksums returns a checksum of each table's rows and row versions.
func (b fixture) tableChecksums() map[string]string {
	sums := map[string]string{}
	for _, table := range testkit.Query[[]string](b.World,
		`select array_agg(tablename::text) from pg_tables where schemaname = 'public'`) {
		sums[table] = b.queryOne(
			`select md5(string_agg(ctid || ':' || xmin || t::text, '|' order by ctid)) from ` + table + ` t`)
	}
	require.Contains(b.t, sums, "plays")
	return sums
}

func (b fixture) queryOne(sql string, args ...any) string {
	return testkit.Query[string](b.World, "select coalesce(("+sql+")::text, 'null')", args...)
}

// lineOf returns the first line of worldLines that contains substring, with old replaced by new.
func lineOf(substring, old, new string) string {
	for line := range strings.SplitSeq(worldLines, "\n") {
		if strings.Contains(line, substring) {
			if !strings.Contains(line, old) {
				panic(old + " is not in " + line)
			}
			return strings.Replace(line, old, new, 1)
		}
	}
	panic(substring)
}

func changedLine(id, old, new string) string { return lineOf(`"id":"$`+id+`"`, old, new) }

func memberLine(old, new string) string { return lineOf(`"membership"`, old, new) }

type invalidFile struct{ lines, want string }

// Each of invalidFiles breaks a rule in its last line; want is the beginning of the error. Package
// identity tests how hashes and secrets are parsed.
var invalidFiles = []invalidFile{
	{`{"type":"game"`, "expected one JSON object in UTF-8 with each name once, got unexpected EOF"},
	{`{} {}`, "expected one JSON object in UTF-8 with each name once, got invalid character '{' after top-level value"},
	{changedLine("acme", `"slug":"acme"`, `"slug":".."`),
		`slug: expected a slug that can be part of an address, got ".."`},
	{changedLine("bob", `bob@example.com`, `Bob <b@example.com>`), "email: expected " + identity.EmailFormat},
	{"{\"type\":\"game\xff\"}", "type: expected one JSON object in UTF-8 with each name once, got invalid UTF-8"},
	{`{"type":"team"}`,
		`type: expected one of organisation, user, membership, game, fork, player, group, play, got "team"`},
	{changedLine("game", `"title":`, `"Title":`), "Title: expected no field of this name"},
	{changedLine("game", `"title"`, `"slug":"b","title"`),
		"slug: expected one JSON object in UTF-8 with each name once"},
	{changedLine("game", `"Game"`, `null`), "title: expected " + typeMessages["string"]},
	{changedLine("game", `"id":"$game"`, `"id":"0b8f7c1e/3d52/4b7a/9a61/5f2c8d4e7a90"`),
		"id: expected " + typeMessages["uuid.UUID"]},
	{changedLine("game", `$game`, uuid.Nil.String()), "id: expected a value, got nothing (an id of zeros and the year 1"},
	{changedLine("game", `"Game"`, `""`), "title: expected " + typeMessages["string"] + `, got ""`},
	{changedLine("game", `"Game"`, `"`+strings.Repeat("e", 201)+`"`),
		"title: expected " + typeMessages["string"] + `, got "` + strings.Repeat("e", 60) + `…"`},
	{changedLine("game", `"Game"`, `"a\u001b[2J"`), "title: expected " + typeMessages["string"] + `, got "a�[2J"`},
	{changedLine("acme", `"pro"`, `"gold"`), `plan: expected one of free, team, pro, enterprise, got "gold"`},
	{changedLine("acme", `"pseudonymous"`, `"open"`),
		`reportingMode: expected one of pseudonymous, nominative, got "open"`},
	{memberLine(`"owner"`, `"boss"`), `role: expected one of owner, admin, member, got "boss"`},
	{changedLine("fork", `"active"`, `"on"`), `status: expected one of active, archived, got "on"`},
	{changedLine("fork", `"public"`, `"Public"`),
		`visibility: expected one of public, organization, restricted, got "Public"`},
	{changedLine("fork", `"en"`, `"it"`), `sourceLocale: expected one of en, fr, es, pt, de, got "it"`},
	{changedLine("fork", `:3,"susp`, `:2147483648,"susp`), "deployedReleaseNumber: expected " + typeMessages["int32"]},
	{changedLine("fork", `"suspended":false`, `"suspended":0`), "suspended: expected true or false"},
	{changedLine("fork", `{"a":[1,{"b":null}]}`, `{"a":"\u0000"}`),
		"configuration: expected an object without \\u0000"},
	{changedLine("fork", `{"a":[1,{"b":null}]}`, `{"a":1e131073}`), "configuration: expected an object without"},
	{changedLine("fork", `{"a":[1,{"b":null}]}`, `{"a":1e-20000}`), "configuration: expected an object without"},
	{changedLine("fork", `{"a":[1,{"b":null}]}`, `{"a":0.`+strings.Repeat("1", 20_000)+`}`), "configuration: expected an object"},
	{changedLine("open", `2026-03-02T09:30:00Z`, `2016-12-31T23:59:60Z`),
		`startedAt: expected an RFC 3339 timestamp without leap second, such as 2026-03-01T09:30:00.000Z`},
	{changedLine("play", `2026-03-01T09:30:00Z`, `1999-12-31T23:59:59.999Z`),
		`startedAt: expected a time in the years 2000 to 2199 UTC, got 1999-12-31 23:59:59.999 +0000 UTC`},
	{changedLine("open", `2026-03-02T09:30:00Z`, `2200-01-01T00:00:00Z`),
		`startedAt: expected a time in the years 2000 to 2199 UTC, got 2200-01-01 00:00:00 +0000 UTC`},
	{changedLine("ann", `$argon`, `hunter2hunter2`), "passwordHash: expected argon2id in PHC form"},
	{changedLine("ann", `"$argon"`, `4711`), "passwordHash: expected " + typeMessages["string"]},
	{changedLine("ann", `JBSWY3DPEHPK3PXP`, `JBSWY3DPEHPK3PX1`),
		"totpSecret: expected a secret of at least 80 bits in base32"},
	{changedLine("group", `["$p1","$p2"]`, `["$p1",null]`),
		"playerIds[1]: expected the id of a player of the group's organisation, stored or in a file so far"},
	{changedLine("group", `["$p1","$p2"]`, `["$p1","$p2","$p1"]`),
		`playerIds[2]: expected each player once in the group, got $p1`},
	{changedLine("play", `87.55`, `100.01`),
		"scorePercent: expected a number from 0 to 100 with at most two decimals, got 100.01"},
	{changedLine("play", `87.55`, `87.555`), "scorePercent: expected " + typeMessages["float64"] + ", got 87.555"},
	{changedLine("play", `"scorePercent":87.55,`, ``),
		"scorePercent: expected a value in a play with completedAt, got nothing"},
	{changedLine("play", `"passed":true,`, `"passed":null,`),
		"passed: expected a value in a play with completedAt, got nothing"},
	{changedLine("play", `T09:40:00.5Z`, `T09:29:59.999Z`),
		`completedAt: expected a time not before startedAt, got 2026-03-01 09:29:59.999 +0000 UTC`},
	{changedLine("open", `"skills"`, `"scorePercent":1,"skills"`),
		"scorePercent: expected nothing in a play without completedAt, got 1"},
	{changedLine("open", `,"skills":[]`, ``), "skills: expected a value, got nothing"},
	{changedLine("play", `data.reading.charts`, `data.reading.chart`),
		`skills[0].skillId: expected a skill of the catalogue, such as data.reading.charts, got "data.reading.chart"`},
	{changedLine("play", `"attempts":3`, `"attempts":0`),
		"skills[0].attempts: expected a whole number of at least 1, got 0"},
	{changedLine("play", `"attempts":3`, `"attempts":101`),
		"skills[0].attempts: expected a whole number of at most 100, got 101"},
	{changedLine("play", `"correct":2`, `"correct":4`),
		"skills[0].correct: expected a whole number from 0 to attempts, got 4"},
	{changedLine("play", `,"correct":2`, ``), "skills[0].correct: expected a value, got nothing"},
	{changedLine("open", `[]`,
		`[{"skillId":"data.reading.charts","attempts":1,"correct":1},{"skillId":"data.reading.charts","attempts":1,"correct":1}]`),
		`skills: expected each value once`,
	},
	{changedLine("open", `[]`, `[`+strings.Repeat(`{"skillId":"x"},`, 40)+`{}]`),
		"skills: expected each skill of the catalogue at most once"},
	{memberLine("$acme", "$none"),
		"organisationId: expected the id of a stored organisation, or of one in this or an earlier file, got $none"},
	{memberLine("$ann", "$none"), "userId: expected the id of a stored user"},
	{changedLine("fork", "$acme", "$none"), "organisationId: expected the id of a stored organisation"},
	{changedLine("fork", "$game", "$none"), "gameId: expected the id of a stored game"},
	{changedLine("p1", "$acme", "$none"), "organisationId: expected the id of a stored organisation"},
	{changedLine("group", "$acme", "$none"), "organisationId: expected the id of a stored organisation"},
	{changedLine("play", "$fork", "$none"), "forkId: expected the id of a stored fork"},
	{changedLine("play", "$p1", "$none"), "playerId: expected the id of a stored player"},
	{changedLine("play", "$p1", "$stranger"), `playerId: expected a player of the fork's organisation, got $stranger`},
	{changedLine("p1", `$p1","organisationId":"$acme`, `$new","organisationId":"$other`) + "\n" +
		changedLine("play", "$p1", "$new"),
		`playerId: expected a player of the fork's organisation`,
	},
	{changedLine("group", "$p2", "$stranger"),
		"playerIds[1]: expected the id of a player of the group's organisation, stored or in"},
	{strings.Replace(changedLine("fork", "$acme", "$other"), `"slug":"fork"`, `"slug":"moved"`, 1),
		"organisationId: expected the organisation that is stored, which cannot change"},
	{changedLine("p3", "$acme", "$other"),
		"organisationId: expected the organisation that is stored, which cannot change"},
	{strings.Replace(changedLine("group", "$acme", "$other"), `"$p1","$p2"`, ``, 1),
		"organisationId: expected the organisation that is stored, which cannot change"},
	{changedLine("play", "$fork", "$fork2"), "forkId: expected the fork that is stored, which cannot change"},
	{changedLine("other", `"slug":"other"`, `"slug":"acme"`),
		`slug: expected a slug that no other organisation has, got acme`},
	{changedLine("fork2", `"slug":"fork-2"`, `"slug":"fork"`),
		`slug: expected a slug that no other fork of the organisation has, got fork`},
	{changedLine("bob", `bob@example.com`, `ANN@EXAMPLE.COM`),
		`email: expected an e-mail that no other user has, in any case, got ann@example.com`},
}

// Each broken rule of import.md gives an error with line and field, and without secrets.
func TestInvalidFileIsRefused(t *testing.T) {
	b := setup(t)
	for _, f := range formats {
		line := lineOf(`"type":"`+f.name+`"`, f.name, f.name)
		invalidFiles = append(invalidFiles, invalidFile{
			line + "\n\n" + line,
			cmp.Or(f.id, "id") + ": expected each " + f.name + " once in the file",
		})
	}
	for _, c := range invalidFiles {
		// The preceding valid line must not be stored either: importErrors checks that.
		got := b.importErrors(filledFile("f", `{"type":"game","id":"$fresh","slug":"fresh","title":"F"}`+"\n"+c.lines))
		// An unknown organisation breaks several rules.
		assert.LessOrEqual(t, len(got), 4, "%q", got)
		want := fmt.Sprintf("f:%d: %s", 2+strings.Count(c.lines, "\n"), fill(c.want))
		assert.True(t, strings.HasPrefix(got[0], want), "got  %s\nwant %s", got[0], want)
		for _, secret := range []string{"hunter2", "JBSWY3DPEHPK3PX1", "4711", "c29tZXNhbHQ"} {
			assert.NotContains(t, strings.Join(got, "\n"), secret)
		}
	}
}

// Of the errors in a line, at most MaxErrors are reported. The import's time is not quadratic in their number.
func TestLineWithManyErrorsIsRefusedFast(t *testing.T) {
	b := setup(t)
	for name, lineWith := range map[string]func(errors int) string{
		"nulls":  func(n int) string { return changedLine("group", `"$p1"`, "null"+strings.Repeat(",null", n)) },
		"skills": func(n int) string { return `{"type":"play","skills":[{}` + strings.Repeat(",{}", n) + `]}` },
	} {
		importTime := func(errors int) time.Duration {
			line := lineWith(errors)
			began := time.Now()
			got := b.importErrors(filledFile("f", line))
			assert.LessOrEqual(t, len(got), MaxErrors, name)
			assert.Contains(t, got[0], "f:1: ", name)
			return time.Since(began)
		}
		baseline := importTime(60_000)
		assert.Less(t, importTime(600_000), 40*baseline, name) // quadratic work would take 100 times as long
	}
}
