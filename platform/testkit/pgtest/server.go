package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"dg/migrations"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// templateLock is an advisory lock: one process at a time makes templates.
const templateLock = 5270163099842217764

// settings trade durability for speed.
var settings = map[string]string{
	"fsync":              "off",
	"synchronous_commit": "off",
	"full_page_writes":   "off",
	"autovacuum":         "off",
	"wal_level":          "minimal",
	"max_wal_senders":    "0",
	"max_connections":    "800",
	"shared_buffers":     "128MB",
	"min_wal_size":       "32MB",
	"max_wal_size":       "256MB",
}

// startTimeout is above what a start takes on a loaded machine.
const startTimeout = 2 * time.Minute

type server struct {
	*embeddedpg.Server
	keeper io.Closer // unreferenced it would be closed, and end the keeper
	admin  *pgxpool.Pool
}

// started is this process's use of the shared server, which ends with the process.
var started = sync.OnceValues(start)

func start() (s *server, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	dir, err := sharedFolder(ctx)
	if err != nil {
		return nil, err
	}
	s = &server{}
	if s.keeper, err = startKeeper(dir); err != nil {
		return nil, err
	}
	s.Server, err = embeddedpg.Start(ctx, dir, embeddedpg.Options{Create: true, Settings: settings})
	if err != nil {
		return nil, fmt.Errorf("%w (if this stays, remove the folder %s)", err, dir)
	}
	s.admin, err = pgxpool.New(ctx, adminURL(s.Server)+"&pool_max_conns=4")
	return s, err
}

func adminURL(of *embeddedpg.Server) string {
	return tb.AsRole(inDatabase(of.URL(), "postgres"), "postgres")
}

// sharedFolder returns the server's folder, one for each user, PostgreSQL and boot, because a crash
// may damage a cluster without fsync. It is in memory if possible, where a database takes 15 ms,
// not 300.
func sharedFolder(ctx context.Context) (string, error) {
	bin, err := embeddedpg.FindProgram(ctx, "", "postgres")
	if err != nil {
		return "", err
	}
	base := os.TempDir()
	var memory syscall.Statfs_t
	if runtime.GOOS == "linux" && syscall.Statfs("/dev/shm", &memory) == nil &&
		memory.Bavail*uint64(memory.Bsize) > 4<<30 { // the tests of all packages share it
		base = "/dev/shm"
	}
	// Linux; elsewhere the temporary folder must do
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	hash := sha256.Sum256(append(boot, bin...))
	return filepath.Join(base,
		fmt.Sprintf("dg-test-%d-%s", os.Geteuid(), hex.EncodeToString(hash[:4]))), nil
}

// drop drops a test's database. It first waits for its ending sessions, because the server would
// sleep 100 ms for one.
func (s *server) drop(ctx context.Context, name string) error {
	for range 25 {
		var busy bool
		err := s.admin.QueryRow(ctx,
			`/* pgtest.drop */ select exists (select from pg_stat_activity where datname = $1)`,
			name).Scan(&busy)
		if err != nil || !busy {
			break
		}
		time.Sleep(2 * time.Millisecond) //nolint:forbidigo // a poll, bounded above
	}
	_, err := s.admin.Exec(ctx, fmt.Sprintf(`drop database %s with (force)`, name))
	return err
}

// template names the database that holds the migrated schema, and makes it where it is missing.
func (s *server) template(ctx context.Context) (string, error) {
	hash, err := hashOf(migrations.FS)
	if err != nil {
		return "", err
	}
	name := "template_" + hash
	conn, err := s.admin.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `/* pgtest.template */ select pg_advisory_lock($1)`,
		int64(templateLock)); err != nil {
		return "", err
	}
	defer func() { _, _ = conn.Exec(ctx, `select pg_advisory_unlock($1)`, int64(templateLock)) }()
	var whole bool
	err = conn.QueryRow(ctx, `/* pgtest.template */ select exists (
		select from pg_database where datname = $1 and not datallowconn)`, name).Scan(&whole)
	if err != nil || whole {
		return name, err
	}
	return name, s.makeTemplate(ctx, conn, name)
}

// makeTemplate migrates a new database. A template that refuses connections is whole; a database
// with a session could not be copied.
func (s *server) makeTemplate(ctx context.Context, conn *pgxpool.Conn, name string) error {
	for _, statement := range []string{
		fmt.Sprintf(`drop database if exists %s with (force)`, name),
		fmt.Sprintf(`create database %s owner dg_owner`, name),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	err := postgres.Migrate(ctx, inDatabase(s.OwnerURL(), name), migrations.FS, "dg_app", nil)
	if err == nil {
		_, err = conn.Exec(ctx,
			fmt.Sprintf(`alter database %s with allow_connections false`, name))
	}
	return err
}

func hashOf(files fs.FS) (string, error) {
	hash := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, path)
		fmt.Fprintf(hash, "%s %d\n", path, len(content))
		_, _ = hash.Write(content)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:8]), err
}
