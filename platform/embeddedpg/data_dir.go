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

// These paths are relative to the data folder.
const (
	clusterFolder    = "cluster"
	newClusterFolder = "cluster.new" // renamed to cluster when complete
	pidFile          = "cluster/postmaster.pid"
	lockFile         = "cluster/PG_VERSION" // locked by the server; unlike a log, never renamed by logrotate
	logFile          = "postgres.log"
)

// dataDir is a data folder. If dg runs as root, the server runs as user. Otherwise user is nil,
// because a sandboxed service may not call setuid or chown, even for its own user.
type dataDir struct {
	path string
	user *syscall.Credential
}

func (d dataDir) filePath(name string) string { return filepath.Join(d.path, name) }

func openDataDir(ctx context.Context, dir string) (d dataDir, err error) {
	d.path = dataPath(dir)
	if d.user, err = serverUser(d.filePath(clusterFolder)); err != nil {
		return d, err
	}
	if os.Geteuid() == 0 && !fileExists(d.filePath(clusterFolder)) && !d.canEnter(ctx, d.path) {
		d.path = relocatedPath(d.path)
	}
	defer syscall.Umask(syscall.Umask(0o066))
	const mode = 0o711 // lets the server's user enter if dg runs as root
	return d, errors.Join(os.MkdirAll(d.path, mode), CheckFolder(d.path))
}

// HasData reports whether dir, or its relocatedPath, has a database.
func HasData(dir string) bool { return fileExists(filepath.Join(dataPath(dir), clusterFolder)) }

// dataPath returns the absolute path of dir, or its relocatedPath if only that has a database.
func dataPath(dir string) string {
	path, _ := filepath.Abs(dir)
	relocated := relocatedPath(path)
	if !fileExists(filepath.Join(path, clusterFolder)) && fileExists(filepath.Join(relocated, clusterFolder)) {
		return relocated
	}
	return path
}

// relocatedPath returns where root's data is stored if the server's user cannot enter path.
func relocatedPath(path string) string {
	return fmt.Sprintf("/var/lib/dg/%.8x", sha256.Sum256([]byte(path)))
}

// CheckFolder returns an error unless dir is missing, is empty or has a database of dg.
func CheckFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	d := dataDir{path: dir}
	if err != nil || len(entries) == 0 ||
		fileExists(d.filePath(clusterFolder)) || fileExists(d.filePath(newClusterFolder)) {
		return err
	}
	return fmt.Errorf("data folder %q has files of another program or an earlier build (%s): "+
		"name an empty folder or one that does not exist", dir, entries[0].Name())
}

func serverUser(path string) (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		return &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
		}
	}
	return nil, errors.New("PostgreSQL refuses to run as root: add a user postgres")
}

// canEnter reports whether d.user can enter path or its nearest parent that exists.
func (d dataDir) canEnter(ctx context.Context, path string) bool {
	for !fileExists(path + "/.") { // "/." exists in folders only
		path = filepath.Dir(path)
	}
	return d.command(ctx, "/bin/sh", "-c", `cd "$1"`, "sh", path).Run() == nil
}

// command returns a command that runs in a new session, out of reach of Ctrl-C. It inherits
// only two variables, because the others may be secrets or settings of PostgreSQL.
func (d dataDir) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // PostgreSQL's own programs, or sh
	cmd.Dir = "/"                                  // lets the file system of the current folder be unmounted
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: d.user}
	cmd.Env = []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH"),
		"LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH")}
	return cmd
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
