package importer

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// lineOf returns the line of the world that has the text, with a replacement.
func lineOf(has, old, new string) string {
	for line := range strings.SplitSeq(world, "\n") {
		if strings.Contains(line, has) {
			if !strings.Contains(line, old) {
				panic(old + " is not in " + line)
			}
			return strings.Replace(line, old, new, 1)
		}
	}
	panic(has)
}

func changed(id, old, new string) string { return lineOf(`"id":"$`+id+`"`, old, new) }

func memberLine(old, new string) string { return lineOf(`"membership"`, old, new) }

// lineRules are invalid lines, each with the beginning of its first error. How a text, a time, a
// number, a hash and a secret are read is proved by values_test.go and package identity.
var lineRules = []struct{ name, line, want string }{
	{"not JSON", `{"type":"game"`, "expected one JSON object in UTF-8, got unexpected EOF at byte 15"},
	{"an array", `[]`, "expected one JSON object in UTF-8, got an array"},
	{"two objects", `{} {}`,
		"expected one JSON object in UTF-8, got invalid character '{' after top-level value at byte 4"},
	{"invalid UTF-8", "{\"type\":\"game\xff\"}",
		"expected one JSON object in UTF-8, got invalid UTF-8 at byte 14"},
	{"no type", `{"id":"$game"}`,
		"type: expected one of organisation, user, membership, game, fork, player, group, play, got nothing"},
	{"unknown type", `{"type":"team"}`,
		`type: expected one of organisation, user, membership, game, fork, player, group, play, got "team"`},
	{"unknown field", changed("game", `"title"`, `"colour":1,"title"`),
		"colour: expected no field of this name in a game"},
	{"a field in another case", changed("game", `"title":`, `"Title":`),
		"title: expected " + expectedText + ", got nothing"},
	{"a field twice", changed("game", `"title"`, `"slug":"b","title"`), "slug: expected each field once"},
	{"null for a required field", changed("game", `"Game"`, `null`),
		"title: expected " + expectedText + ", got nothing"},

	{"id without hyphens",
		changed("game", `"id":"$game"`, `"id":"0b8f7c1e3d524b7a9a615f2c8d4e7a90"`),
		"id: expected " + expectedUUID},
	{"id a number", changed("game", `"id":"$game"`, `"id":7`), "id: expected " + expectedUUID + ", got 7"},
	{"the nil UUID", changed("game", `"id":"$game"`, `"id":"00000000-0000-0000-0000-000000000000"`),
		"id: expected " + expectedUUID + ", got nothing"},
	{"no id", changed("game", `"id":"$game",`, ``), "id: expected " + expectedUUID + ", got nothing"},

	{"an empty text", changed("game", `"Game"`, `""`), "title: expected " + expectedText + ", got nothing"},
	{"201 characters", changed("game", `"Game"`, `"`+strings.Repeat("é", 201)+`"`),
		"title: expected " + expectedText + `, got "` + strings.Repeat("é", 60) + `"…`},
	{"a text as a number", changed("p1", `"One"`, `1`), "displayName: expected " + expectedText + ", got 1"},
	{"a group's name", changed("group", `"name":"Group",`, ``),
		"name: expected " + expectedText + ", got nothing"},

	{"plan", changed("acme", `"pro"`, `"gold"`),
		`plan: expected one of free, team, pro, enterprise, got "gold"`},
	{"reporting mode", changed("acme", `"pseudonymous"`, `"open"`),
		`reportingMode: expected one of pseudonymous, nominative, got "open"`},
	{"role", memberLine(`"owner"`, `"boss"`), `role: expected one of owner, admin, member, got "boss"`},
	{"status", changed("fork", `"active"`, `"on"`), `status: expected one of active, archived, got "on"`},
	{"visibility", changed("fork", `"public"`, `"Public"`),
		`visibility: expected one of public, organization, restricted, got "Public"`},
	{"source locale", changed("fork", `"en"`, `"it"`),
		`sourceLocale: expected one of en, fr, es, pt, de, got "it"`},
	{"major", changed("fork", `"major":1`, `"major":1.5`), "major: expected " + expectedWhole + ", got 1.5"},
	{"major negative", changed("fork", `"major":1`, `"major":-1`),
		"major: expected " + expectedWhole + ", got -1"},
	{"release too large", changed("fork", `:3,"susp`, `:2147483648,"susp`),
		"deployedReleaseNumber: expected " + expectedWhole + ", got 2147483648"},
	{"suspended", changed("fork", `"suspended":false`, `"suspended":0`),
		"suspended: expected true or false, got 0"},
	{"no suspended", changed("fork", `"suspended":false,`, ``),
		"suspended: expected true or false, got nothing"},
	{"configuration an array", changed("fork", `{"a":[1,{"b":null}]}`, `[1]`),
		"configuration: expected " + expectedObject + ", got an array"},
	{"configuration with NUL", changed("fork", `{"a":[1,{"b":null}]}`, `{"a":"\\\u0000"}`),
		"configuration: expected " + expectedObject},
	{"a name twice in a configuration",
		changed("fork", `{"a":[1,{"b":null}]}`, `{"a":{"b":1,"b":2}}`),
		"configuration.a.b: expected each field once"},
	{"configuration too deep",
		changed("fork", `{"a":[1,{"b":null}]}`, `{"a":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`),
		"configuration: expected " + expectedObject},
	{"configuration with a huge number", changed("fork", `{"a":[1,{"b":null}]}`, `{"a":1e131073}`),
		"configuration: expected " + expectedObject},

	{"no time", changed("fork", `"createdAt":"2026-01-01T00:00:00Z",`, ``),
		"createdAt: expected " + expectedTime + ", got nothing"},
	{"a number as a time", changed("fork", `"2026-01-02T00:00:00+01:00"`, `1767225600`),
		"updatedAt: expected " + expectedTime + ", got 1767225600"},

	{"a start before 2000", changed("play", `2026-03-01T09:30:00Z`, `1999-12-31T23:59:59.999Z`),
		`startedAt: expected a time in the years 2000 to 2199 UTC, got "1999-12-31T23:59:59.999Z"`},
	{"a start after 2199", changed("open", `2026-03-02T09:30:00Z`, `2200-01-01T00:00:00Z`),
		`startedAt: expected a time in the years 2000 to 2199 UTC, got "2200-01-01T00:00:00Z"`},

	{"password hash", changed("ann", `$argon`, `hunter2hunter2`),
		"passwordHash: expected argon2id in PHC form"},
	{"password hash a number", changed("ann", `"$argon"`, `123`),
		"passwordHash: expected argon2id in PHC form"},
	{"TOTP secret", changed("ann", `JBSWY3DPEHPK3PXP`, `JBSWY3DPEHPK3PX1`),
		"totpSecret: expected a secret of at least 80 bits in base32"},
	{"e-mail", changed("ann", `"Ann@Example.com"`, `""`), "email: expected " + expectedText},
	{"locale", changed("ann", `"locale":"en"`, `"locale":""`), "locale: expected " + expectedText},

	{"playerIds an object", changed("group", `["$p1","$p2"]`, `{}`),
		"playerIds: expected an array, got an object"},
	{"playerIds with null", changed("group", `["$p1","$p2"]`, `["$p1",null]`),
		"playerIds[1]: expected " + expectedUUID + ", got nothing"},
	{"a player twice", changed("group", `["$p1","$p2"]`, `["$p1","$p2","$p1"]`),
		`playerIds: expected no duplicates, got "$p1"`},

	{"score above 100", changed("play", `87.55`, `100.01`),
		"scorePercent: expected a number from 0 to 100 with at most two decimals, got 100.01"},
	{"score below 0", changed("play", `87.55`, `-0.01`),
		"scorePercent: expected " + expectedScore + ", got -0.01"},
	{"finished without score", changed("play", `"scorePercent":87.55,`, ``),
		"scorePercent: expected " + expectedScore + ", got nothing"},
	{"finished without verdict", changed("play", `"passed":true,`, `"passed":null,`),
		"passed: expected true or false, got nothing"},
	{"completed before started", changed("play", `T09:40:00.5Z`, `T09:29:59.999Z`),
		`completedAt: expected a time not before startedAt, got "2026-03-01T09:29:59.999Z"`},
	{"unfinished with a score", changed("open", `"skills"`, `"scorePercent":1,"skills"`),
		"scorePercent: expected nothing in a play without completedAt, got 1"},
	{"unfinished with a verdict", changed("open", `"skills"`, `"passed":false,"skills"`),
		"passed: expected nothing in a play without completedAt, got false"},
	{"no skills", changed("open", `,"skills":[]`, ``), "skills: expected an array, got nothing"},
	{"a skill as a text", changed("open", `[]`, `["data.reading.charts"]`),
		"skills[0]: expected an object, got a text"},
	{"unknown skill", changed("play", `data.reading.charts`, `data.reading.chart`),
		`skills[0].skillId: expected ` + expectedSkill + `, got "data.reading.chart"`},
	{"no attempts", changed("play", `"attempts":3`, `"attempts":0`),
		"skills[0].attempts: expected a whole number of at least 1, got 0"},
	{"101 attempts", changed("play", `"attempts":3`, `"attempts":101`),
		"skills[0].attempts: expected a whole number of at most 100, got 101"},
	{"more correct than attempts", changed("play", `"correct":2`, `"correct":4`),
		"skills[0].correct: expected a whole number from 0 to attempts, got 4"},
	{"correct missing", changed("play", `,"correct":2`, ``),
		"skills[0].correct: expected " + expectedWhole + ", got nothing"},
	{
		"a skill twice",
		changed("open", `[]`,
			`[{"skillId":"data.reading.charts","attempts":1,"correct":1},{"skillId":"data.reading.charts","attempts":1,"correct":1}]`),
		`skills: expected no duplicates, got "data.reading.charts"`,
	},
	{"more skills than the catalogue has",
		changed("open", `[]`, `[`+strings.Repeat(`{"skillId":"x"},`, 40)+`{}]`),
		"skills: expected each skill of the catalogue at most once"},
	{"a leap second", changed("open", `2026-03-02T09:30:00Z`, `2016-12-31T23:59:60Z`),
		`startedAt: expected an RFC 3339 timestamp without leap second, such as ` +
			`2026-03-01T09:30:00.000Z, got "2016-12-31T23:59:60Z"`},
	{"unknown field of a skill", changed("play", `"correct":2`, `"correct":2,"n":1`),
		"skills[0].n: expected no field of this name in a skill"},
}

func TestInvalidLineIsRefused(t *testing.T) {
	t.Parallel()
	pool := setup(t)
	for _, test := range lineRules {
		t.Run(test.name, func(t *testing.T) {
			// importErrors finds the valid line before it if that is stored.
			got := importErrors(t, pool,
				file("f",
					`{"type":"game","id":"$fresh","slug":"fresh","title":"Fresh"}`+"\n"+test.line))
			want := "f:2: " + fill(test.want)
			assert.True(t, strings.HasPrefix(got[0], want), "got  %s\nwant %s", got[0], want)
			for _, secret := range []string{"hunter2", "JBSWY3DPEHPK3PX1", "c29tZXNhbHQ"} {
				assert.NotContains(t, strings.Join(got, "\n"), secret)
			}
		})
	}
}

type fileRule struct{ name, lines, want string }

// fileRules are files that break a rule of their objects: one for each rule of a format.
var fileRules = []fileRule{
	{"membership of nothing", memberLine("$acme", "$none"),
		"f:1: organisationId: expected the id of an organisation that is stored or on an earlier line, got \"$none\""},
	{"membership of nobody", memberLine("$ann", "$none"),
		"f:1: userId: expected the id of a user that is stored or on an earlier line"},
	{"fork of nothing", changed("fork", "$acme", "$none"),
		"f:1: organisationId: expected the id of an organisation that"},
	{"fork of no game", changed("fork", "$game", "$none"), "f:1: gameId: expected the id of a game that"},
	{"player of nothing", changed("p1", "$acme", "$none"),
		"f:1: organisationId: expected the id of an organisation that"},
	{"group of nothing", changed("group", "$acme", "$none"),
		"f:1: organisationId: expected the id of an organisation that"},
	{"group of nobody", changed("group", "$p2", "$none"),
		"f:1: playerIds[1]: expected the id of a player that"},
	{"play of nothing", changed("play", "$fork", "$none"), "f:1: forkId: expected the id of a fork that"},
	{"play of nobody", changed("play", "$p1", "$none"), "f:1: playerId: expected the id of a player that"},

	{"member on a later line",
		changed("group", "$p2", "$late") + "\n" + changed("p1", "$p1", "$late"),
		"f:1: playerIds[1]: expected the id of a player that"},

	{"play of another organisation's player", changed("play", "$p1", "$stranger"),
		`f:1: playerId: expected a player of the fork's organisation, got "$stranger"`},
	{
		"play of another organisation's new player",
		changed("p1", `$p1","organisationId":"$acme`, `$new","organisationId":"$other`) + "\n" +
			changed("play", "$p1", "$new"),
		`f:2: playerId: expected a player of the fork's organisation`,
	},
	{"group of another organisation's player", changed("group", "$p2", "$stranger"),
		`f:1: playerIds[1]: expected a player of the group's organisation, got "$stranger"`},

	{"fork moves",
		strings.Replace(changed("fork", "$acme", "$other"), `"slug":"fork"`, `"slug":"moved"`, 1),
		"f:1: organisationId: expected the organisation that is stored, which cannot change"},
	{"player moves", changed("p3", "$acme", "$other"),
		"f:1: organisationId: expected the organisation that is stored, which cannot change"},
	{"group moves", strings.Replace(changed("group", "$acme", "$other"), `"$p1","$p2"`, ``, 1),
		"f:1: organisationId: expected the organisation that is stored, which cannot change"},
	{"play moves", changed("play", "$fork", "$fork2"),
		"f:1: forkId: expected the fork that is stored, which cannot change"},

	{"organisation's slug taken", changed("other", `"slug":"other"`, `"slug":"acme"`),
		`f:1: slug: expected a slug that no other organisation has, got "acme"`},
	{"fork's slug taken", changed("fork2", `"slug":"fork-2"`, `"slug":"fork"`),
		`f:1: slug: expected a slug that no other fork of the organisation has, got "fork"`},
	{"e-mail taken in another case", changed("bob", `bob@example.com`, `ANN@EXAMPLE.COM`),
		`f:1: email: expected an e-mail that no other user has, in any case, got "ann@example.com"`},
}

func TestInvalidFileIsRefused(t *testing.T) {
	t.Parallel()
	pool := setup(t)
	tests := fileRules
	for _, f := range (Importer{}).formats() {
		kind := f.name
		field := map[string]string{"membership": "userId"}[kind]
		line := lineOf(`"type":"`+kind+`"`, kind, kind)
		tests = append(tests, fileRule{
			kind + " twice", line + "\n\n" + line,
			"f:3: " + cmp.Or(field, "id") + ": expected each " + kind + " once in the file",
		})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := importErrors(t, pool, file("f", test.lines))
			// An unknown organisation also breaks the rule that it never changes.
			assert.LessOrEqual(t, len(got), 4, "%q", got)
			want := fill(test.want)
			assert.True(t, strings.HasPrefix(got[0], want), "got  %s\nwant %s", got[0], want)
		})
	}
}

// A line may have more errors than bytes for them: only the first are collected.
func TestLineOfManyErrorsIsReadOnce(t *testing.T) {
	t.Parallel()
	const many = 600_000
	var unknown, skills strings.Builder
	for i := range many {
		fmt.Fprintf(&unknown, `,"%x":1`, i)
		fmt.Fprintf(&skills, `,{"skillId":"%x"}`, i)
	}
	for what, line := range map[string]string{
		"ids":     `{"type":"group","playerIds":[1` + strings.Repeat(",1", many) + `]}`,
		"nulls":   `{"type":"group","playerIds":[null` + strings.Repeat(",null", many) + `]}`,
		"unknown": `{"type":"game"` + unknown.String() + `}`,
		"skills":  `{"type":"play","skills":[` + skills.String()[1:many] + `"}]}`,
	} {
		began := time.Now()
		errors := newDecoder(Importer{}.formats()).line(1, []byte(line))
		assert.NotEmpty(t, errors, what)
		assert.LessOrEqual(t, len(errors), MaxErrors, what)
		assert.Less(t, time.Since(began), 20*time.Second, what)
	}
}
