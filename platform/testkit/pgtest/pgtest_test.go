package pgtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
)

// schema is a small set of migrations: these tests hold whatever the product's are. The mark makes
// it another set.
func schema(mark string) fs.FS {
	return fstest.MapFS{
		"20260101000000_first.sql": {
			Data: []byte("-- +goose Up\n-- " + mark +
				"\ncreate table things (id int primary key);\n"),
		},
		"grants.sql": {Data: []byte("grant select, insert on things to :role;\n")},
	}
}

func TestNewAppliesTheMigrations(t *testing.T) {
	t.Parallel()
	db := New(t)
	var role string
	must(t, db.DB.Pool.QueryRow(t.Context(), `select current_user`).Scan(&role))
	if role != "dg_app" {
		t.Errorf("DB is opened as %s", role)
	}
	must(t, db.Owner.Pool.QueryRow(t.Context(), `select current_user`).Scan(&role))
	if role != "dg_owner" {
		t.Errorf("Owner is opened as %s", role)
	}
	var migrated int
	must(t,
		db.DB.Pool.QueryRow(t.Context(),
			`select count(*) from goose_db_version where version_id > 0`).Scan(&migrated))
	if migrated == 0 {
		t.Error("nothing was migrated")
	}
}

func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var left []string
	t.Run("many", func(t *testing.T) {
		for range 6 {
			db := newFrom(t, schema(""))
			left = append(left, db.URL)
			// the first one in each
			tag, err := db.DB.Pool.Exec(t.Context(), `insert into things values (1)`)
			if err != nil || tag.RowsAffected() != 1 {
				t.Error(err)
			}
			if _, err := db.DB.Pool.Exec(t.Context(), `delete from things`); err == nil {
				t.Error("the serving role does what it was not granted")
			}
		}
	})
	for _, url := range left {
		if conn, err := pgx.Connect(t.Context(), url); err == nil {
			_ = conn.Close(t.Context())
			t.Errorf("%s is still there", url)
		}
	}
}

func TestDatabasesOfKilledProcessesAreDropped(t *testing.T) {
	t.Parallel()
	mine := newFrom(t, schema(""))
	// they make its template at the same time
	mark := fmt.Sprint("new for these processes ", os.Getpid())
	urls := make([]string, 3)
	var all sync.WaitGroup
	for i := range urls {
		all.Go(func() { urls[i] = leave(t, mark) })
	}
	all.Wait()
	s, err := started()
	must(t, err)
	must(t, s.dropLeftOvers(t.Context()))
	for _, url := range urls {
		_, database, _ := strings.Cut(url, "@/")
		database, _, _ = strings.Cut(database, "?")
		if there := exists(t, s, database); there || !strings.HasPrefix(database, testPrefix) {
			t.Errorf("the killed process's database %q: still there: %v", database, there)
		}
	}
	must(t, mine.DB.Pool.Ping(t.Context()))
	hash, err := hashOf(schema(mark))
	must(t, err)
	_, err = s.admin.Exec(t.Context(), `drop database `+templatePrefix+hash)
	must(t, err) // it was made once and is whole
}

// Process ids are used again, and the database of a killed process stays while one of its id lives.
func TestDatabaseOfAnEarlierProcessIsNoObstacle(t *testing.T) {
	t.Parallel()
	s, err := started()
	must(t, err)
	left := fmt.Sprintf("%s%d_%d", testPrefix, os.Getpid(), numbered.Load()+1)
	_, err = s.admin.Exec(t.Context(), `create database `+left)
	must(t, err)
	defer func() { must(t, s.drop(context.Background(), left)) }()
	newFrom(t, schema("")) // or a test beside this one takes the number, and fails
}

func exists(t *testing.T, s *server, database string) (there bool) {
	t.Helper()
	must(t,
		s.admin.QueryRow(t.Context(), `select exists (select from pg_database where datname = $1)`,
			database).Scan(&there))
	return there
}

// leaverVariable makes TestLeaver, in a process of its own, take a database and wait to be killed.
const leaverVariable = "DG_PGTEST_LEAVER"

func TestLeaver(t *testing.T) {
	mark := os.Getenv(leaverVariable)
	if mark == "" {
		t.Skip("only as a process that another test starts")
	}
	fmt.Println(newFrom(t, schema(mark)).URL)
	select {}
}

// leave runs a process that takes a database and is killed, and returns the database's URL.
func leave(t *testing.T, mark string) string {
	program, err := os.Executable()
	if err != nil {
		t.Error(err)
		return ""
	}
	cmd := exec.Command(program, "-test.run=^TestLeaver$")
	cmd.Env = append(os.Environ(), leaverVariable+"="+mark)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return ""
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(url, "postgres://") {
		t.Errorf("the process said %q, %v", url, err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return strings.TrimSpace(url)
}

// verdict is a testing.TB that remembers how a test was ended.
type verdict struct {
	testing.TB
	text string
}

func (v *verdict) Helper() {}
func (v *verdict) Skipf(format string, args ...any) {
	v.text = "skip: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (v *verdict) Fatalf(format string, args ...any) {
	v.text = "fatal: " + fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// of runs f as a test and tells how it ended.
func (v *verdict) of(f func(testing.TB)) string {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(v)
	}()
	<-done
	return v.text
}

func TestMissingServerSkipsTestsAndFailsUnderCI(t *testing.T) {
	for ci, want := range map[string]string{"": "skip: ", "true": "fatal: "} {
		t.Setenv("CI", ci)
		got := new(verdict).of(func(tb testing.TB) {
			unavailable(tb, errors.New("none is installed"))
		})
		if !strings.HasPrefix(got, want) || !strings.Contains(got, "none is installed") {
			t.Errorf("CI=%q: %s", ci, got)
		}
	}
}

func TestFailedMigrationLeavesNoTemplate(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a database: skipped with -short")
	}
	t.Setenv("CI", "")
	broken := fstest.MapFS{
		"20260101000000_first.sql": {Data: []byte("-- +goose Up\ncreate tabel things ();\n")},
		"grants.sql":               {Data: []byte("select 1;")},
	}
	for range 2 {
		got := new(verdict).of(func(tb testing.TB) { newFrom(tb, broken) })
		if !strings.HasPrefix(got, "fatal: ") ||
			!strings.Contains(got, "20260101000000_first.sql") {
			t.Errorf("%s", got)
		}
	}
	s, err := started()
	must(t, err)
	hash, err := hashOf(broken)
	must(t, err)
	if listed(t, s, templatePrefix+hash) {
		t.Error("a template of half a schema")
	}
	_, err = s.admin.Exec(context.Background(), `drop database `+templatePrefix+hash)
	must(t, err)
}

// A crash of the server empties the unlogged tables of templates, and the list of whole ones.
func TestTemplateIsMadeAgainAfterACrash(t *testing.T) {
	t.Parallel()
	s, err := started()
	must(t, err)
	files := schema(fmt.Sprint("crashed ", os.Getpid(), numbered.Add(1)))
	name, err := s.template(t.Context(), files)
	must(t, err)
	_, err = s.admin.Exec(t.Context(), `delete from whole_templates where name = $1`, name)
	must(t, err)
	oid := func() (oid uint32) {
		must(t,
			s.admin.QueryRow(t.Context(), `select oid from pg_database where datname = $1`, name).
				Scan(&oid))
		return oid
	}
	before := oid()
	next := &server{
		url: s.url, ownerURL: s.ownerURL, admin: s.admin, owner: s.owner, role: s.role,
		templates: map[string]bool{},
	}
	_, err = next.template(t.Context(), files)
	must(t, err)
	if oid() == before || !listed(t, s, name) {
		t.Error("the emptied template is still used")
	}
	_, err = s.admin.Exec(t.Context(), `drop database `+name)
	must(t, err)
}

func listed(t *testing.T, s *server, template string) (there bool) {
	t.Helper()
	must(t,
		s.admin.QueryRow(t.Context(), `select exists (select from whole_templates where name = $1)`,
			template).Scan(&there))
	return there
}

func TestEachSetOfMigrationsHasItsOwnTemplate(t *testing.T) {
	t.Parallel()
	a, err := hashOf(schema("a"))
	must(t, err)
	b, err := hashOf(schema("b"))
	must(t, err)
	again, err := hashOf(schema("a"))
	must(t, err)
	if a == b || a != again {
		t.Errorf("%s, %s, %s", a, b, again)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
