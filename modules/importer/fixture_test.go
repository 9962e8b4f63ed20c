package importer

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit"
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

func fill(lines string) string {
	return placeholder.ReplaceAllStringFunc(lines, func(name string) string {
		if name == "$argon" {
			return argon
		}
		return idOf(name[1:]).String()
	})
}

func idOf(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceURL, []byte(name)) }

func file(name, lines string) Input { return raw(name, fill(lines)) }

func raw(name, content string) Input {
	return Input{name, func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

type bundle struct {
	*testkit.World
	t *testing.T
}

func setup(t *testing.T) bundle {
	t.Parallel()
	b := bundle{World: testkit.New(t), t: t}
	b.imports(file("world", world))
	return b
}

func (b bundle) importFiles(files ...Input) ([]Count, error) {
	request := audit.Request{Method: "CLI", Path: "dg import"}
	return Importer{Pool: b.Owner.Pool, Request: request}.Import(b.t.Context(), files, nil)
}

func (b bundle) imports(files ...Input) []Count {
	s, err := b.importFiles(files...)
	require.NoError(b.t, err)
	return s
}

// errorsOf imports files that must be invalid, and returns the texts of their errors. It checks that
// nothing has changed.
func (b bundle) errorsOf(files ...Input) []string {
	before := b.contents()
	_, err := b.importFiles(files...)
	require.Error(b.t, err)
	require.Equal(b.t, before, b.contents(), "an import that fails changes nothing")
	return strings.Split(err.Error(), "\n")
}

// contents returns a checksum of the rows and their versions of each table.
func (b bundle) contents() map[string]string {
	sums := map[string]string{}
	for _, table := range testkit.One[[]string](b.World,
		`select array_agg(tablename::text) from pg_tables where schemaname = 'public'`) {
		sums[table] = b.one(
			`select md5(string_agg(ctid || ':' || xmin || t::text, '|' order by ctid)) from ` + table + ` t`)
	}
	require.Contains(b.t, sums, "plays")
	return sums
}

func (b bundle) one(sql string, args ...any) string {
	return testkit.One[string](b.World, "select coalesce(("+sql+")::text, 'null')", args...)
}
