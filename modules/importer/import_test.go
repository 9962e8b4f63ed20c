package importer

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/modules/games"
	"dg/modules/identity"
	"dg/platform/testkit"
	"dg/platform/testkit/pgtest"
	"dg/platform/testkit/tb"
)

// Each field that import.md documents is stored.
func TestImportStoresTheObjectsOfAFile(t *testing.T) {
	b := setup(t)
	charts, _ := games.SkillByID("data.reading.charts")
	packed := games.PackAnswers([]games.SkillResult{{Skill: charts, Attempts: 3, Correct: 2}})
	for sql, want := range map[string]string{
		`select concat_ws('|', started_at at time zone 'UTC', completed_at at time zone 'UTC', release_number,
			score, passed, fork_id) from plays where id = '$play'`: "2026-03-01 09:30:00|2026-03-01 09:40:00.5|3|8755|t|$fork",
		`select encode(answers, 'hex') from plays where id = '$play'`:                                 hex.EncodeToString(packed),
		`select num_nulls(score, completed_at, passed, release_number) from plays where id = '$open'`: "4",
		`select p.display_name from players p join plays y on y.org_id = p.org_id and y.player = p.ordinal
			where y.id = '$play'`: "One",
		`select concat_ws('|', email, email_key, name, password_hash, totp_secret, locale)
			from users where id = '$ann'`: "Ann@Example.com|ann@example.com|Ann|$argon|JBSWY3DPEHPK3PXP|en",
		`select coalesce(password_hash, totp_secret, locale) from users where id = '$bob'`: "null",
		`select concat_ws('|', slug, name, plan, reporting_mode)
			from organisations where id = '$acme'`: "acme|Acme|pro|pseudonymous",
		`select concat_ws('|', org_id, role) from memberships where user_id = '$ann'`: "$acme|owner",
		`select concat_ws('|', slug, title) from games where id = '$game'`:            "game|Game",
		`select concat_ws('|', org_id, game_id, slug, title, major, status, visibility, source_locale, suspended,
			deployed_release_number, created_at at time zone 'UTC') from forks where id = '$fork2'`: "$acme|$game|fork-2|" +
			"Fork 2|2|archived|restricted|de|t|2026-01-01 00:00:00",
		`select concat_ws('|', configuration, deployed_release_number, updated_at at time zone 'UTC')
			from forks where id = '$fork'`: `{"a": [1, {"b": null}]}|3|2026-01-01 23:00:00`,
		`select concat_ws('|', org_id, name) from player_groups where id = '$group'`: "$acme|Group",
		`select string_agg(ordinal || ':' || display_name, ' ' order by ordinal)
			from players where org_id = '$acme'`: "1:One 2:Two 3:Three",
		`select string_agg(player::text, ' ' order by player) from group_members where group_id = '$group'`: "1 2",
		`select count(*) from players where label ~ '^P-[0-9A-HJKMNP-TV-Z]{10}$'`:                           "4",
	} {
		assert.Equal(t, fill(want), b.queryOne(fill(sql)), sql)
	}
}

var replacements = []struct{ typ, line, sql, want string }{
	{"organisation", changedLine("acme", `"plan":"pro"`, `"plan":"free"`),
		"select plan || slug from organisations where id = '$acme'", "freeacme"},
	{"user", changedLine("ann", `"locale":"en"`, `"locale":"de"`), "select locale from users where id = '$ann'", "de"},
	{"user", changedLine("bob", `bob@example.com`, `rob@example.com`),
		"select email || email_key from users where id = '$bob'", "rob@example.comrob@example.com"},
	{"membership", memberLine("owner", "member"), "select role from memberships", "member"},
	{"game", changedLine("game", `"Game"`, `"=Game <b>\u202e"`), "select title from games", "=Game <b>\u202e"},
	{"fork", changedLine("fork", `,"deployedReleaseNumber":3`, `,"deployedReleaseNumber":null`),
		"select deployed_release_number from forks where id = '$fork'", "null"},
	{"fork", changedLine("fork2", `"suspended":true`, `"suspended":true,"configuration":{"\"e12345":1e-9,"a":"\\u0000"}`),
		"select configuration from forks where id = '$fork2'", `{"a": "\\u0000", "\"e12345": 0.000000001}`},
	{"player", changedLine("p1", `"One"`, `"Uno"`),
		"select ordinal || display_name from players where id = '$p1'", "1Uno"},
	{"group", changedLine("group", `"Group"`, `"Team"`), "select name from player_groups", "Team"},
	{"group", strings.Replace(changedLine("group", `"Group"`, `"Team"`), `"$p1","$p2"`, `"$p2","$p3"`, 1),
		"select string_agg(player::text, ',' order by player) from group_members", "2,3"},
	{"group", strings.Replace(changedLine("group", `"Group"`, `"Team"`), `"$p1","$p2"`, ``, 1),
		"select count(*) from group_members", "0"},
	{"play", changedLine("play", `87.55`, `8.756e1`), "select score from plays where id = '$play'", "8756"},
	{"play", changedLine("play", `"releaseNumber":3`, `"releaseNumber":0`),
		"select release_number from plays where id = '$play'", "0"},
	{"play", changedLine("play", `09:40:00.5Z`, `09:40:00.6009Z`),
		"select completed_at at time zone 'UTC' from plays where id = '$play'", "2026-03-01 09:40:00.6"},
	{"play", changedLine("play", `"passed":true`, `"passed":false`),
		"select passed from plays where id = '$play'", "false"},
	{"play", changedLine("play", `"attempts":3`, `"attempts":100`),
		"select length(answers) from plays where id = '$play'", "100"},
	{"play", changedLine("open", `[]`, `[{"skillId":"`+strings.Join(games.SkillIDs(), `","attempts":1,"correct":1},{"skillId":"`)+
		`","attempts":1,"correct":1}]`), "select length(answers) from plays where id = '$open'", "30"},
	{"play", changedLine("play", `"$p1"`, `"$p3"`), "select player from plays where id = '$play'", "3"},
	{"play", changedLine("open", `2026-03-02T09:30:00Z`, `1999-12-31T23:30:00-00:30`),
		"select started_at at time zone 'UTC' from plays where id = '$open'", "2000-01-01 00:00:00"},
	{"play", changedLine("open", `2026-03-02T09:30:00Z`, `2200-01-01T00:59:59.9999+01:00`),
		"select started_at at time zone 'UTC' from plays where id = '$open'", "2199-12-31 23:59:59.999"},
	{
		"play",
		lineOf(`"$open"`, `"skills":[]`,
			`"completedAt":"2026-03-02T09:30:00Z","scorePercent":0,"passed":false,"skills":[]`),
		"select score from plays where id = '$open'", "0",
	},
}

// A changed line replaces its object once, and keeps pseudonyms and ordinals. An unchanged line writes no row.
func TestOnlyChangedObjectsAreReplaced(t *testing.T) {
	b := setup(t)
	const labelsSQL = "select string_agg(label || ordinal, ',' order by id) from players"
	before := b.queryOne(labelsSQL)
	for _, r := range replacements {
		b.requireImport(filledFile("world", worldLines)) // so that r.line differs in one field only
		counts := b.requireImport(filledFile("f", r.line))
		require.Contains(t, counts, ObjectCount{ObjectType: r.typ, Replaced: 1}, r.line)
		require.Equal(t, r.want, b.queryOne(fill(r.sql)))
		afterReplacement := b.tableChecksums()
		counts = b.requireImport(filledFile("f", r.line))
		require.Contains(t, counts, ObjectCount{ObjectType: r.typ, Unchanged: 1}, r.line)
		require.Equal(t, afterReplacement, b.tableChecksums(), r.line)
	}
	require.Equal(t, before, b.queryOne(labelsSQL))
}

// Objects may swap slugs and e-mails within a file.
func TestUniquenessIsCheckedOnTheEndStateOfAFile(t *testing.T) {
	b := setup(t)
	b.requireImport(filledFile("f", strings.Join([]string{
		changedLine("acme", `"slug":"acme"`, `"slug":"other"`),
		changedLine("other", `"slug":"other"`, `"slug":"acme"`),
		changedLine("fork", `"slug":"fork"`, `"slug":"fork-2"`),
		changedLine("fork2", `"slug":"fork-2"`, `"slug":"fork"`),
		changedLine("ann", `Ann@Example.com`, `BOB@example.com`),
		changedLine("bob", `bob@example.com`, `ann@example.com`),
		// slugs are unique within an organisation only
		changedLine("fork", `"id":"$fork","organisationId":"$acme"`, `"id":"$fork4","organisationId":"$other"`),
	}, "\n")))
	require.Equal(t, "acme fork-2 bob@example.com", b.queryOne(fill(`select concat_ws(' ',
		(select slug from organisations where id = '$other'), (select slug from forks where id = '$fork'),
		(select email_key from users where id = '$ann'))`)))
}

func TestLaterFileReplacesObjectsOfEarlierOnes(t *testing.T) {
	b := setup(t)
	counts := b.requireImport(filledFile("1", changedLine("p1", `$p1`, `$new`)+"\n"+changedLine("play", `$p1`, `$new`)),
		filledFile("2", changedLine("play", `87.55`, `50`)), filledFile("3", changedLine("p1", `$p1`, `$p9`)))
	assert.Contains(t, counts, ObjectCount{ObjectType: "play", Replaced: 2})
	assert.Contains(t, counts, ObjectCount{ObjectType: "player", Added: 2})
	assert.Contains(t, b.requireImport(filledFile("4", changedLine("group", `$group`, `$newgroup`))),
		ObjectCount{ObjectType: "group", Added: 1})
	assert.Equal(t, "4 5", b.queryOne("select string_agg(ordinal::text, ' ' order by ordinal) from players "+
		"where id in ($1, $2)", idOf("new"), idOf("p9")))
}

// An import reports its first 20 errors, ordered by line, not by rule. Errors of a list are ordered by position.
func TestFirstTwentyErrorsAreOrderedByLine(t *testing.T) {
	b := setup(t)
	got := b.importErrors(filledFile("a", strings.Repeat("[]\n", 15)), filledFile("b", strings.Repeat("\n{}\n", 15)))
	require.Len(t, got, MaxErrors)
	require.Contains(t, got[14], "a:15: ")
	require.Contains(t, got[19], "b:10: ")

	var lines strings.Builder
	for i := range 30 {
		line := changedLine("play", []string{"$p1", "$fork"}[i%2], "$none")
		lines.WriteString(strings.Replace(line, "$play", fmt.Sprintf("$x%d", i), 1) + "\n")
	}
	got = b.importErrors(filledFile("f", lines.String()))
	require.Len(t, got, MaxErrors)
	for i, text := range got {
		want := fmt.Sprintf("f:%d: %s: ", i+1, []string{"playerId", "forkId"}[i%2])
		require.True(t, strings.HasPrefix(text, want), text)
	}

	var players strings.Builder
	for i := range 100 {
		fmt.Fprintf(&players, `,"$x%d"`, i)
	}
	got = b.importErrors(filledFile("f", changedLine("group", `,"$p2"`, players.String())))
	require.Len(t, got, MaxErrors)
	for i, text := range got {
		require.Contains(t, text, fmt.Sprintf("f:1: playerIds[%d]: ", i+1))
	}
}

// Each invalid field of a line is an error. References are checked after all lines of the file are valid.
func TestAllFieldsOfAFileAreCheckedBeforeReferences(t *testing.T) {
	b := setup(t)
	playLine := changedLine("play", "$p1", "$none") + "\n"
	acmeTwice := strings.Repeat(changedLine("acme", "", "")+"\n", 2)
	newFork := func(name string) string { return changedLine("fork", `"id":"$fork"`, `"id":"`+name+`"`) + "\n" }
	for lines, want := range map[string][]string{
		playLine: {"f:1: playerId"}, acmeTwice + playLine: {"f:2: id", "f:2: slug"},
		acmeTwice + strings.Replace(playLine, "87.55", "101", 1) + `{"type":"game","slug":"","title":""}`: {
			"f:3: scorePercent", "f:4: id", "f:4: slug", "f:4: title"},
		// two new forks take the slug that a stored fork gives up
		newFork("$fork7") + newFork("$fork8") + changedLine("fork", `"slug":"fork"`, `"slug":"moved"`): {"f:2: slug"},
	} {
		var got []string
		for _, text := range b.importErrors(filledFile("f", lines)) {
			got = append(got, strings.Join(strings.SplitN(text, ": ", 3)[:2], ": "))
		}
		require.Equal(t, want, got)
	}
}

type terminal func(string)

func (t terminal) Write(text []byte) (int, error) {
	t(string(text))
	return len(text), nil
}

type reader func([]byte) (int, error)

func (r reader) Read(b []byte) (int, error) { return r(b) }

// An import changes nothing if it is cancelled while it waits for a pipe's writer, for its data or gzip header, reads
// the file, checks players or writes players.
func TestCancelledImportChangesNothing(t *testing.T) {
	b := setup(t)
	before := b.tableChecksums()
	for _, step := range []string{"writer", "data", "header.gz", "reading", "checking players", "writing players"} {
		ctx, cancel := context.WithCancel(context.Background())
		wait := func([]byte) (int, error) {
			cancel()
			<-t.Context().Done()
			return 0, io.EOF
		}
		file := filledFile("f", changedLine("p1", "One", "X"))
		switch step {
		case "writer":
			file.Open = func() (io.ReadCloser, error) { return nil, tb.ErrorOf(wait(nil)) }
		case "data", "header.gz":
			file.Name = step
			file.Open = func() (io.ReadCloser, error) { return io.NopCloser(reader(wait)), nil }
		}
		_, err := Importer{Pool: b.Owner.Pool}.Import(ctx, []Input{file}, terminal(func(text string) {
			if text == "\r\x1b[Kf: 1 lines, "+step+"…" {
				cancel()
			}
		}))
		cancel()
		require.ErrorIs(t, err, context.Canceled, step)
		assert.Equal(t, before, b.tableChecksums())
	}
}

type refusedCommit struct{ pgx.Tx }

func (refusedCommit) Commit(context.Context) error {
	return &pgconn.PgError{Severity: "FEHLER", SeverityUnlocalized: "ERROR"}
}

// A cancelled context does not interrupt a commit. If the connection is lost, the error is ErrUnconfirmed.
func TestLostCommitIsUnconfirmed(t *testing.T) {
	b := setup(t)
	b.Exec(`create function hold() returns trigger language plpgsql as
		'begin perform pg_advisory_xact_lock(7); return null; end'`)
	b.Exec(`create constraint trigger hold after update on games deferrable initially deferred
		for each row execute function hold()`)
	ctx, cancel := context.WithCancel(t.Context())
	for i, interruption := range []func(){func() {
		require.NoError(t, tb.Exec(t, b.OwnerURL, `select pg_terminate_backend(pid) from pg_stat_activity
			where datname = current_database() and wait_event = 'advisory'`))
	}, cancel} {
		err := b.WhileWaiting(b.Begin(`select pg_advisory_xact_lock(7)`), func() error {
			file := filledFile("f", changedLine("game", `"Game"`, fmt.Sprintf(`"Title %d"`, i)))
			return tb.ErrorOf(Importer{Pool: b.Owner.Pool}.Import(ctx, []Input{file}, nil))
		}, interruption)
		require.Equal(t, i == 0, errors.Is(err, ErrUnconfirmed), "%d: %v", i, err)
	}
	require.NotErrorIs(t, commit(t.Context(), refusedCommit{}), ErrUnconfirmed, "refused in German")
}

// Concurrent imports give consecutive ordinals. The ordinal of a deleted player is not reused.
func TestConcurrentImportsGiveUniqueOrdinals(t *testing.T) {
	b := setup(t)
	testkit.Concurrently(4, func(n int) {
		var lines strings.Builder
		for i := range 50 {
			lines.WriteString(changedLine("p1", "$p1", fmt.Sprintf("$n%dx%d", n, i)) + "\n")
		}
		b.requireImport(filledFile("f", lines.String()))
	})
	assert.Equal(t, "203 203 203", b.queryOne("select concat_ws(' ', count(distinct ordinal), max(ordinal), "+
		"(select last from player_ordinals where org_id = $1)) from players where org_id = $1", idOf("acme")))
	b.Exec(`delete from players where ordinal = 203`)
	b.requireImport(filledFile("f", changedLine("p1", "$p1", "$after")))
	assert.Equal(t, "204", b.queryOne("select ordinal from players where id = $1", idOf("after")))
}

// An import's live heap does not grow with the number of plays.
func TestImportUsesConstantMemory(t *testing.T) {
	smallHeap := maxLiveHeap(t, 2_000)
	largeHeap := maxLiveHeap(t, 8_000)
	require.Less(t, largeHeap, smallHeap+1<<20) // allows 174 bytes for each of the 6,000 additional plays
}

func maxLiveHeap(t *testing.T, plays int) (maxHeap uint64) {
	input := Input{Name: "plays", Open: func() (io.ReadCloser, error) {
		r, w := io.Pipe()
		go func() {
			size := testkit.ImportFileSize{Plays: plays, Players: 500, Days: 400}
			_ = w.CloseWithError(tb.ErrorOf(testkit.WriteImportFile(w, 1, time.Now(), size)))
		}()
		return r, nil
	}}
	tb.Must(Importer{Pool: pgtest.New(t).Owner.Pool}.Import(t.Context(), []Input{input}, terminal(func(string) {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		maxHeap = max(maxHeap, m.HeapAlloc)
	})))(t)
	return maxHeap
}

func compress(t *testing.T, s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	tb.Must(w.Write([]byte(s)))(t)
	require.NoError(t, w.Close())
	return b.String()
}

// Files are plain or gzip, may have a byte order mark, and lines of up to 8 MB (import.md) that end with LF or CRLF.
func TestFilesAreReadPlainAndCompressed(t *testing.T) {
	b := setup(t)
	line := func(name string) string { return fill(changedLine("game", `"$game"`, `"$`+name+`"`)) }
	for name, content := range map[string]string{
		"plain":     line("a"),
		"crlf":      "\ufeff" + line("b") + "\r\n\r\n",
		"gzip":      compress(t, line("d")),
		"two.gz":    compress(t, line("e")+"\n") + compress(t, line("f")+"\n"),
		"long":      line("g") + strings.Repeat(" ", maxLine-len(line("g"))) + "\n" + line("h"),
		"long.crlf": line("i") + strings.Repeat(" ", maxLine-len(line("i"))) + "\r\n",
	} {
		b.requireImport(rawFile(name, content))
	}
	b.requireImport(rawFile("empty", ""), rawFile("blank", "\n \r\n\t\n"))
	assert.Equal(t, "9", b.queryOne("select count(*) from games"))
}

// A file that is truncated, damaged or unreadable imports nothing.
func TestUnreadableFileIsRefused(t *testing.T) {
	const unreadable = "expected a whole file with lines of at most 8 MB, and nothing after its end if it is gzip, got "
	b := setup(t)
	compressed := compress(t, fill(strings.Repeat("\n", 70_000)+changedLine("p1", "One", "X")+"\n"))
	damaged := []byte(compressed)
	damaged[len(damaged)-6] ^= 1 // a byte of gzip's checksum
	for name, content := range map[string]string{
		"cut in the checksum": compressed[:len(compressed)-3], "wrong checksum": string(damaged),
		"zero bytes after": compressed + strings.Repeat("\x00", 512),
		"garbage after":    compressed + "garbage", "empty.gz": "", "no.gz": `{"type":"game"}`,
	} {
		assert.Contains(t, b.importErrors(rawFile(name, content))[0], unreadable, name)
	}
	for _, suffix := range []string{"", "\n{}"} {
		got := b.importErrors(rawFile("f", "\n"+strings.Repeat(" ", maxLine+2)+suffix))
		assert.Equal(t, []string{"f:2: " + unreadable + "bufio.Scanner: token too long"}, got)
	}
	readErr := errors.New("disk on fire")
	line := fill(changedLine("p1", "One", "X")) + "\n"
	got := b.importErrors(Input{"f", func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(line), iotest.ErrReader(readErr))), nil
	}})
	assert.Equal(t, []string{"f:2: " + unreadable + "disk on fire"}, got)
	_, err := b.importFiles(Input{"f", func() (io.ReadCloser, error) { return nil, readErr }})
	require.ErrorIs(t, err, readErr)
}

// Each score from 0.00 to 100.00 is converted exactly to hundredths of a percent.
func TestEveryScoreIsExact(t *testing.T) {
	t.Parallel()
	for want := range int16(100_01) {
		text := fmt.Sprintf("%d.%02d", want/100, want%100)
		row, faults := formats[7].read([]byte(fill(changedLine("play", "87.55", text))), identity.Keyring{})
		require.Empty(t, faults, text)
		require.Equal(t, want, *row[6].(*int16), text)
	}
}

// configs/deploy/import.md names every type with all of its fields.
func TestDocumentNamesEveryField(t *testing.T) {
	text := tb.Must(os.ReadFile("../../configs/deploy/import.md"))(t)
	for _, object := range []any{organisation{}, user{}, membership{}, game{}, fork{}, player{}, group{}, play{}} {
		typ := reflect.TypeOf(object)
		row := regexp.MustCompile("(?m)^\\| `" + typ.Name() + "` \\| .*$").FindString(string(text))
		for field := range typ.Fields() {
			require.Contains(t, row, "`"+field.Tag.Get("json")+"`", typ.Name())
		}
	}
}
