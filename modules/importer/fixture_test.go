package importer

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/pgtest"
)

// world is two organisations with an object of each type. $name is replaced by a UUID.
const world = `
{"type":"organisation","id":"$acme","slug":"acme","name":"Acme","plan":"pro","reportingMode":"pseudonymous"}
{"type":"organisation","id":"$other","slug":"other","name":"Other","plan":"free","reportingMode":"nominative"}
{"type":"user","id":"$ann","email":"Ann@Example.com","name":"Ann","passwordHash":"$argon","totpSecret":"JBSWY3DPEHPK3PXP","locale":"en"}
{"type":"user","id":"$bob","email":"bob@example.com","name":"Bob"}
{"type":"membership","organisationId":"$acme","userId":"$ann","role":"owner"}
{"type":"game","id":"$game","slug":"game","title":"Game"}
{"type":"fork","id":"$fork","organisationId":"$acme","gameId":"$game","slug":"fork","title":"Fork","major":1,"status":"active","visibility":"public","sourceLocale":"en","deployedReleaseNumber":3,"suspended":false,"configuration":{"a":[1,{"b":null}]},"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-02T00:00:00+01:00"}
{"type":"fork","id":"$fork2","organisationId":"$acme","gameId":"$game","slug":"fork-2","title":"Fork 2","major":2,"status":"archived","visibility":"restricted","sourceLocale":"de","suspended":true,"createdAt":"2026-01-01T00:00:00Z","updatedAt":"2026-01-01T00:00:00Z"}
{"type":"player","id":"$p1","organisationId":"$acme","displayName":"One"}
{"type":"player","id":"$p2","organisationId":"$acme","displayName":"Two"}
{"type":"player","id":"$p3","organisationId":"$acme","displayName":"Three"}
{"type":"player","id":"$stranger","organisationId":"$other","displayName":"Stranger"}
{"type":"group","id":"$group","organisationId":"$acme","name":"Group","playerIds":["$p1","$p2"]}
{"type":"play","id":"$play","forkId":"$fork","playerId":"$p1","releaseNumber":3,"startedAt":"2026-03-01T09:30:00Z","completedAt":"2026-03-01T09:40:00.5Z","scorePercent":87.55,"passed":true,"skills":[{"skillId":"data.reading.charts","attempts":3,"correct":2}]}
{"type":"play","id":"$open","forkId":"$fork","playerId":"$p2","startedAt":"2026-03-02T09:30:00Z","skills":[]}
`

const argon = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQxMjM0NTY3OA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

var placeholder = regexp.MustCompile(`\$[a-z][a-z0-9]*`)

// fill replaces the placeholders of lines.
func fill(lines string) string {
	return placeholder.ReplaceAllStringFunc(lines, func(name string) string {
		if name == "$argon" {
			return argon
		}
		return idOf(name[1:]).String()
	})
}

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)) }

// file is an input that holds the lines.
func file(name, lines string) Input { return raw(name, fill(lines)) }

func raw(name, content string) Input {
	return Input{
		Name: name,
		Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(content)), nil
		},
	}
}

// setup returns a database that holds the world.
func setup(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool := pgtest.New(t).Owner.Pool
	_, err := Importer{Pool: pool}.Import(t.Context(), []Input{file("world", world)}, nil)
	require.NoError(t, err)
	return pool
}

// importFiles imports files that must be valid.
func importFiles(t testing.TB, pool *pgxpool.Pool, files ...Input) Summary {
	t.Helper()
	s, err := Importer{Pool: pool}.Import(t.Context(), files, nil)
	require.NoError(t, err)
	return s
}

// importErrors imports files that must be invalid, and returns the texts of their errors. It checks
// that nothing has changed.
func importErrors(t testing.TB, pool *pgxpool.Pool, files ...Input) []string {
	t.Helper()
	before := contents(t, pool)
	_, err := Importer{Pool: pool}.Import(t.Context(), files, nil)
	var wrong Errors
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, before, contents(t, pool), "an import that fails changes nothing")
	return wrong
}

// contents returns a checksum of the rows and their versions of each table.
func contents(t testing.TB, pool *pgxpool.Pool) map[string]string {
	t.Helper()
	rows, err := pool.Query(t.Context(),
		"select tablename::text from pg_tables where schemaname = 'public'")
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Contains(t, tables, "plays")
	sums := map[string]string{}
	for _, table := range tables {
		sums[table] = one(t, pool,
			"select md5(string_agg(ctid || ':' || xmin || t::text, '|' order by ctid)) from "+table+" t")
	}
	return sums
}

// one reads a single value as text.
func one(t testing.TB, pool *pgxpool.Pool, sql string, args ...any) string {
	t.Helper()
	var s *string
	require.NoError(t,
		pool.QueryRow(t.Context(), "select ("+sql+")::text", args...).Scan(&s))
	if s == nil {
		return "null"
	}
	return *s
}

// counted returns a summary's count of a type.
func counted(s Summary, typ string) Count {
	for _, c := range s {
		if c.Type == typ {
			return c
		}
	}
	return Count{}
}
