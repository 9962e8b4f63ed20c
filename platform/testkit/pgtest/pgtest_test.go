package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// schema is a small set of migrations. The mark makes it another set.
func schema(mark string) fs.FS {
	return fstest.MapFS{
		"1_first.sql": {
			Data: []byte("-- +goose Up\n-- " + mark +
				"\ncreate table things (id int primary key);\n"),
		},
		"grants/things.sql": {Data: []byte("grant select, insert on things to :role;\n")},
	}
}

func TestNewAppliesTheMigrations(t *testing.T) {
	t.Parallel()
	db := New(t)
	const roleAndMigrations = `select current_user, (select count(*) from dg_schema_versions where version_id > 0)`
	var role string
	var migrated int
	require.NoError(t, db.DB.Pool.QueryRow(t.Context(), roleAndMigrations).Scan(&role, &migrated))
	require.Equal(t, "dg_app", role)
	require.Positive(t, migrated)
	require.NoError(t, db.Owner.Pool.QueryRow(t.Context(), roleAndMigrations).Scan(&role, &migrated))
	require.Equal(t, "dg_owner", role)
}

func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var left []string
	t.Run("many", func(t *testing.T) {
		for range 6 {
			db := From(t, schema(""))
			left = append(left, db.URL)
			_, err := db.DB.Pool.Exec(t.Context(), `insert into things values (1)`) // each is empty
			require.NoError(t, err)
			_, err = db.DB.Pool.Exec(t.Context(), `delete from things`)
			require.ErrorContains(t, err, "permission denied")
		}
	})
	for _, url := range left {
		_, err := pgx.Connect(t.Context(), url)
		require.ErrorContains(t, err, "does not exist")
	}
}

func TestDatabasesOfKilledProcessesAreDropped(t *testing.T) {
	t.Parallel()
	mine := From(t, schema(""))
	s, err := started()
	require.NoError(t, err)
	// They make its template at the same time.
	mark := fmt.Sprint("new for these processes ", os.Getpid())
	urls := make([]string, 3)
	var all sync.WaitGroup
	for i := range urls {
		all.Go(func() { urls[i] = leave(t, mark) })
	}
	all.Wait()
	require.NoError(t, s.dropLeftOvers(t.Context()))
	for _, url := range urls {
		_, err := pgx.Connect(t.Context(), url)
		require.ErrorContains(t, err, "does not exist")
	}
	require.NoError(t, mine.DB.Pool.Ping(t.Context()))
	s.dropTemplate(t, schema(mark)) // it was made once
}

// dropTemplate drops the template of the migrations, which must exist.
func (s *server) dropTemplate(t *testing.T, files fs.FS) {
	t.Helper()
	hash, err := hashOf(files)
	require.NoError(t, err)
	_, err = s.admin.Exec(context.Background(), `drop database `+templatePrefix+hash)
	require.NoError(t, err)
}

// Process ids are used again, and the database of a killed process stays while another process has
// its id.
func TestDatabaseOfAnEarlierProcessIsNoObstacle(t *testing.T) {
	t.Parallel()
	s, err := started()
	require.NoError(t, err)
	left := fmt.Sprintf("%s%d_%d", testPrefix, os.Getpid(), databaseNumber.Load()+1)
	_, err = s.admin.Exec(t.Context(), `create database `+left)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.drop(context.Background(), left)) }()
	From(t, schema("")) // or a test at the same time takes the number, and fails
}

// leaverVariable makes TestLeaver, in another process, take a database and wait to be killed.
const leaverVariable = "DG_PGTEST_LEAVER"

func TestLeaver(t *testing.T) {
	mark := os.Getenv(leaverVariable)
	if mark == "" {
		t.Skip("only as a process that another test starts")
	}
	fmt.Println(From(t, schema(mark)).URL)
	select {}
}

// leave runs a process that takes a database and is killed, and returns the database's URL.
func leave(t *testing.T, mark string) string {
	program, err := os.Executable()
	assert.NoError(t, err)
	cmd := exec.Command(program, "-test.run=^TestLeaver$")
	cmd.Env = append(os.Environ(), leaverVariable+"="+mark)
	out, err := cmd.StdoutPipe()
	assert.NoError(t, err)
	assert.NoError(t, cmd.Start())
	url, err := bufio.NewReader(out).ReadString('\n')
	assert.NoError(t, err)
	assert.Contains(t, url, testPrefix)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return strings.TrimSpace(url)
}

func TestFailedMigrationLeavesNoTemplate(t *testing.T) {
	broken := fstest.MapFS{
		"1_first.sql":       {Data: []byte("-- +goose Up\ncreate tabel things ();\n")},
		"grants/things.sql": {Data: []byte("select 1;")},
	}
	if testing.Short() {
		t.Skip("needs a database: skipped with -short")
	}
	s, err := started()
	require.NoError(t, err)
	for range 2 {
		outcome := tb.Outcome(t, func(t testing.TB) { From(t, broken) })
		require.Regexp(t, "^fatal: .*1_first.sql", outcome)
	}
	hash, err := hashOf(broken)
	require.NoError(t, err)
	require.False(t, listed(t, s, templatePrefix+hash))
	s.dropTemplate(t, broken)
}

// A crash of the server empties the unlogged tables of templates, and the list of complete ones.
func TestTemplateIsMadeAgainAfterACrash(t *testing.T) {
	t.Parallel()
	s, err := started()
	require.NoError(t, err)
	files := schema(fmt.Sprint("crashed ", os.Getpid(), databaseNumber.Add(1)))
	name, err := s.template(t.Context(), files)
	require.NoError(t, err)
	_, err = s.admin.Exec(t.Context(), `delete from whole_templates where name = $1`, name)
	require.NoError(t, err)
	oid := func() (oid uint32) {
		require.NoError(t, s.admin.QueryRow(t.Context(),
			`select oid from pg_database where datname = $1`, name).Scan(&oid))
		return oid
	}
	before := oid()
	s.mu.Lock()
	clear(s.templates)
	s.mu.Unlock()
	_, err = s.template(t.Context(), files)
	require.NoError(t, err)
	require.NotEqual(t, before, oid())
	require.True(t, listed(t, s, name))
	s.dropTemplate(t, files)
}

func listed(t *testing.T, s *server, template string) (there bool) {
	t.Helper()
	require.NoError(t, s.admin.QueryRow(t.Context(),
		`select exists (select from whole_templates where name = $1)`, template).Scan(&there))
	return there
}
