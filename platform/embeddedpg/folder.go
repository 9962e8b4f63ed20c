package embeddedpg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// Names within a data folder.
const (
	cluster    = "cluster"
	newCluster = "cluster.new" // the cluster while it is made
	pidFile    = "cluster/postmaster.pid"
	logFile    = "postgres.log"
)

// folder is a data folder, and the user that the server runs as.
type folder struct {
	path string
	user *syscall.Credential
}

func (f folder) file(name string) string { return filepath.Join(f.path, name) }

// openFolder creates dir, or the folder that root's data moves to.
func openFolder(ctx context.Context, dir string) (f folder, err error) {
	f.path = dataPath(dir)
	if f.user, err = serverUser(f.file(cluster)); err != nil {
		return f, err
	}
	if os.Geteuid() == 0 && !exists(f.file(cluster)) && !f.canEnter(ctx, f.path) {
		f.path = relocatedPath(f.path)
	}
	mode := fs.FileMode(0o711) // root's server must be able to enter
	defer syscall.Umask(syscall.Umask(0o066))
	if err := errors.Join(os.MkdirAll(f.path, mode), CheckFolder(f.path)); err != nil {
		return f, fmt.Errorf("data folder %q cannot be used: %w", f.path, err)
	}
	return f, nil
}

// HasData reports whether there is a database for the folder dir.
func HasData(dir string) bool { return exists(filepath.Join(dataPath(dir), cluster)) }

// dataPath returns the folder that has the data of dir: dir itself, or the one that root's data was
// moved to.
func dataPath(dir string) string {
	path, _ := filepath.Abs(dir)
	moved := relocatedPath(path)
	if !exists(filepath.Join(path, cluster)) && exists(filepath.Join(moved, cluster)) {
		return moved
	}
	return path
}

// relocatedPath returns the folder for root's data if the server's user cannot enter the configured
// folder.
func relocatedPath(path string) string {
	return fmt.Sprintf("/var/lib/dg/%.8x", sha256.Sum256([]byte(path)))
}

// CheckFolder refuses a folder with files that are no data of dg. A missing or empty folder is
// fine.
func CheckFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f := folder{path: dir}
	if err != nil || len(entries) == 0 || exists(f.file(cluster)) || exists(f.file(newCluster)) {
		return err
	}
	return fmt.Errorf("it holds files of another program or an earlier build (%s): "+
		"name an empty folder or one that does not exist", entries[0].Name())
}

// serverUser returns the user that runs PostgreSQL: the current one. For root it is the owner of
// the data or, for a new folder, postgres or else nobody.
func serverUser(data string) (*syscall.Credential, error) {
	if uid := os.Geteuid(); uid != 0 {
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(os.Getegid()), NoSetGroups: true}, nil
	}
	if info, err := os.Stat(data); err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL refuses to run as root: add a user postgres: %w", err)
	}
	uid, err := strconv.Atoi(u.Uid) // nobody is -2 on a Mac
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// canEnter reports whether the server's user can enter the folder or, if it does not exist, the
// nearest parent that does.
func (f folder) canEnter(ctx context.Context, path string) bool {
	for !exists(path + "/.") { // a file counts as missing: creating the folder says what is wrong
		path = filepath.Dir(path)
	}
	return f.command(ctx, "/bin/sh", "-c", `cd "$1"`, "sh", path).Run() == nil
}

// command returns a command of the server's user in a new session, which Ctrl-C does not reach. It
// inherits little of the environment, which may have secrets and settings of PostgreSQL.
func (f folder) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // PostgreSQL's own programs
	cmd.Dir = "/"                                  // it keeps no file system busy
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: f.user}
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH"),
		"LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH")}
	return cmd
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
