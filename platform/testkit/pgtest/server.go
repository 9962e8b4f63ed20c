package pgtest

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"dg/migrations"
	"dg/platform/embeddedpg"
	"dg/platform/postgres"
	"dg/platform/testkit/tb"
)

// serverOptions trade durability for speed. Without autovacuum, plans do not change (doc.go).
var serverOptions = []string{
	"--fsync=off",
	"--synchronous_commit=off",
	"--full_page_writes=off",
	"--autovacuum=off",
	"--wal_level=minimal",
	"--max_wal_senders=0",
	"--max_connections=800",
	"--shared_buffers=128MB",
	"--min_wal_size=32MB",
	"--max_wal_size=256MB",
}

// startTimeout exceeds the duration of a start on a loaded machine.
const startTimeout = 2 * time.Minute

type server struct {
	*embeddedpg.Server
	reaperInput io.Closer // kept: garbage collection would close it, which ends the reaper
	admin       *pgxpool.Pool
	template    string // name of the database with the migrated schema
}

// sharedServer starts or joins the shared server once. The process uses the server until the process ends.
var sharedServer = sync.OnceValues(startServer)

func startServer() (s *server, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	dir, err := sharedFolder(ctx)
	if err != nil {
		return nil, err
	}
	s = &server{}
	if s.reaperInput, err = startReaper(dir); err != nil {
		return nil, err
	}
	s.Server, err = embeddedpg.Start(ctx, dir, serverOptions...)
	if err != nil {
		return nil, fmt.Errorf("%w (if this stays, remove the folder %s)", err, dir)
	}
	s.admin, err = pgxpool.New(ctx, adminURL(s.Server)+"&pool_max_conns=4")
	if err != nil {
		return nil, err
	}
	return s, s.makeTemplate(ctx)
}

func adminURL(s *embeddedpg.Server) string {
	return tb.AsRole(withDatabase(s.URL(), "postgres"), "postgres")
}

// sharedFolder returns the server's folder, in memory if possible, because databases are created
// faster there. Each user and PostgreSQL version has its own. On Linux so has each boot,
// because a crash may damage a cluster without fsync.
func sharedFolder(ctx context.Context) (string, error) {
	programFolder, err := embeddedpg.FindProgram(ctx, "", "postgres")
	if err != nil {
		return "", err
	}
	base := os.TempDir()
	var memory syscall.Statfs_t
	if runtime.GOOS == "linux" && syscall.Statfs("/dev/shm", &memory) == nil &&
		memory.Bavail*uint64(memory.Bsize) > 4<<30 { // the tests of all packages share this memory
		base = "/dev/shm"
	}
	// Linux only: the path is missing elsewhere
	bootID, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	hash := sha256.Sum256(append(bootID, programFolder...))
	return filepath.Join(base, fmt.Sprintf("dg-test-%d-%x", os.Geteuid(), hash[:4])), nil
}

// makeTemplate creates the database with the migrated schema if it is missing. Only a completely
// migrated database gets the template's name.
func (s *server) makeTemplate(ctx context.Context) error {
	hash := sha256.New()
	archive := tar.NewWriter(hash)
	if err := errors.Join(archive.AddFS(migrations.FS), archive.Close()); err != nil {
		return err
	}
	s.template = fmt.Sprintf("template_%x", hash.Sum(nil)[:8])
	var exists bool
	err := s.admin.QueryRow(ctx, `/* pgtest.template */ select exists (
		select from pg_database where datname = $1)`, s.template).Scan(&exists)
	if err != nil || exists {
		return err
	}
	name := databasePrefix + "template"
	_, err = s.admin.Exec(ctx, fmt.Sprintf(`create database %s owner dg_owner`, name))
	if err != nil {
		return err
	}
	err = postgres.Migrate(ctx, withDatabase(s.OwnerURL(), name), migrations.FS, "dg_app", nil)
	if err != nil {
		return err
	}
	_, err = s.admin.Exec(ctx, fmt.Sprintf(`alter database %s rename to %s`, name, s.template))
	var pgErr *pgconn.PgError
	// duplicate_database, or unique_violation on concurrent renames: another process was faster
	if errors.As(err, &pgErr) && (pgErr.Code == "42P04" || pgErr.Code == "23505") {
		return nil
	}
	return err
}
