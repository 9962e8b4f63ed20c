package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// What the folder holds. As root the folder and its files are root's, and only data and run are the server's user's, and
// server.lock where `dg serve` has become that user: nothing that this user could plant is ever followed or run by root.
const (
	dataFolder = "data"     // the database cluster
	newCluster = "data.new" // the cluster while initdb fills it; renamed when it is whole
	serveLock  = "serve.lock"
	serverLock = "server.lock" // held by every process of the server: free means that none of them lives
	logFile    = "postgres.log"
	socketFile = "socket" // the path of the socket's folder
	runFolder  = "run"
	aliveFIFO  = "run/alive"
)

// relocationRoot is where the data goes when the server's user can't enter the folder that was asked for.
const relocationRoot = "/var/lib/dg"

// folder is a data folder that has been made ready, and the user that the server runs as.
type folder struct {
	path string
	cred *syscall.Credential // nil: this process's own user
}

func (f folder) file(name string) string { return filepath.Join(f.path, name) }

// openFolder makes dir, or the folder that stands in for it, ready for use.
func openFolder(ctx context.Context, dir string, log *slog.Logger) (folder, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return folder{}, fmt.Errorf("data folder %q: %w", dir, err)
	}
	f := folder{path: path}
	if os.Geteuid() == 0 {
		if f, err = placeForRoot(ctx, path, log); err != nil {
			return folder{}, err
		}
	}
	if err := f.prepare(); err != nil {
		return folder{}, fmt.Errorf("data folder %q can't be used: %w", f.path, err)
	}
	if err := f.checkOwner(); err != nil {
		return folder{}, err
	}
	if f.cred != nil && !f.reaches(ctx, f.path) {
		return folder{}, fmt.Errorf("data folder %q can't be entered by user %d, which PostgreSQL runs as (it refuses to run as root): "+
			"allow it (chmod a+x on the folder and those above), or name another folder", f.path, f.cred.Uid)
	}
	return f, nil
}

// placeForRoot chooses the server's user, because PostgreSQL refuses to be root, and a folder that it can enter.
func placeForRoot(ctx context.Context, path string, log *slog.Logger) (folder, error) {
	hash := sha256.Sum256([]byte(path))
	moved := filepath.Join(relocationRoot, hex.EncodeToString(hash[:8]))
	here, there := exists(filepath.Join(path, dataFolder)), exists(filepath.Join(moved, dataFolder))

	f := folder{path: path}
	if !here && there {
		f.path = moved
	}
	var err error
	if f.cred, err = serverUser(f.file(dataFolder)); err != nil {
		return folder{}, err
	}
	if above := nearestExisting(filepath.Dir(path)); !here && !there && isFolder(above) && !f.reaches(ctx, above) {
		f.path = moved
	}
	if f.path != path {
		log.Warn("the data folder is inside one that only root can enter, and PostgreSQL refuses to run as root: the data is in another folder",
			"asked", path, "used", f.path, "user", f.cred.Uid)
	}
	return f, nil
}

// serverUser is who owns the data; for a new folder postgres, or nobody where there is no such user.
func serverUser(data string) (*syscall.Credential, error) {
	if info, err := os.Stat(data); err == nil {
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 0 {
			gid := info.Sys().(*syscall.Stat_t).Gid
			if u, err := user.LookupId(strconv.FormatUint(uint64(uid), 10)); err == nil {
				return credential(u)
			}
			return &syscall.Credential{Uid: uid, Gid: gid}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return credential(u)
		}
	}
	return nil, errors.New("PostgreSQL refuses to run as root, and this machine has neither a user postgres nor a user nobody: add one")
}

func credential(u *user.User) (*syscall.Credential, error) {
	groups, err := u.GroupIds()
	if err != nil {
		groups = []string{u.Gid}
	}
	ids := make([]uint32, 0, len(groups))
	for _, g := range append([]string{u.Uid, u.Gid}, groups...) {
		id, err := strconv.ParseInt(g, 10, 64) // nobody is -2 on a Mac
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", u.Username, err)
		}
		ids = append(ids, uint32(id))
	}
	return &syscall.Credential{Uid: ids[0], Gid: ids[1], Groups: ids[2:]}, nil
}

// prepare makes the folder and its parts. It refuses a folder with somebody else's files.
func (f folder) prepare() error {
	if err := makeFolders(f.path); err != nil {
		return err
	}
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	ours := []string{dataFolder, newCluster, serveLock, serverLock, logFile, socketFile, runFolder}
	foreign := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "lost+found" })
	if len(foreign) > 0 && !slices.ContainsFunc(foreign, func(e fs.DirEntry) bool { return slices.Contains(ours, e.Name()) }) {
		return fmt.Errorf("it holds other files (%s): name an empty folder or one that does not exist", foreign[0].Name())
	}
	if f.cred != nil {
		if info, err := os.Stat(f.path); err != nil {
			return err
		} else if err := os.Chmod(f.path, info.Mode().Perm()|0o011); err != nil { // entered, not listed
			return err
		}
	}
	return f.makeOwn(f.file(runFolder))
}

// makeOwn makes a folder of the server's user, for nobody else.
func (f folder) makeOwn(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if f.cred == nil {
		return nil
	}
	return os.Lchown(path, int(f.cred.Uid), int(f.cred.Gid))
}

// checkOwner says in a sentence what PostgreSQL would say in its log.
func (f folder) checkOwner() error {
	info, err := os.Stat(f.file(dataFolder))
	if err != nil || f.cred != nil { // nothing there yet; or the server's user is the owner already
		return nil //nolint:nilerr // what is wrong with a folder that is there, PostgreSQL says
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
		return fmt.Errorf("the database in %q belongs to user %d: run dg as that user or as root", f.path, uid)
	}
	return nil
}

// reaches reports whether the server's user can enter the folder: the system itself is asked, which knows of access
// lists and mounts too.
func (f folder) reaches(ctx context.Context, path string) bool {
	return f.command(ctx, "/bin/sh", "-c", `cd "$1"`, "sh", path).Run() == nil
}

// makeFolders is os.MkdirAll for folders that others may pass through, whatever the umask.
func makeFolders(path string) error {
	if exists(path) {
		return nil
	}
	if err := makeFolders(filepath.Dir(path)); err != nil {
		return err
	}
	mode := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	if err := os.Mkdir(path, mode); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	return os.Chmod(path, mode)
}

func nearestExisting(path string) string {
	for !exists(path) && path != filepath.Dir(path) {
		path = filepath.Dir(path)
	}
	return path
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// tryLock takes the lock file for this process, or returns nil where another has it. Closing the file gives it back;
// the system does so when the process dies, however it dies.
func tryLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %q: %w", path, err)
	}
	return f, nil
}

// writePID leaves word of who holds the lock.
func writePID(lock *os.File) {
	_ = lock.Truncate(0)
	_, _ = lock.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
}

// readPID is who holds the lock, as far as it has said so.
func readPID(path string) string {
	text, _ := os.ReadFile(path)
	if pid := strings.TrimSpace(string(text)); pid != "" {
		return pid
	}
	return "unknown"
}

// lockForServe makes this process the one `dg serve` of the folder.
func (f folder) lockForServe() (*os.File, error) {
	lock, err := tryLock(f.file(serveLock))
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, fmt.Errorf("another dg serve already uses the data folder %q (process %s): stop it, or name another folder",
			f.path, readPID(f.file(serveLock)))
	}
	writePID(lock)
	return lock, nil
}

// ended reports whether no process of the server lives.
func (f folder) ended() bool {
	if !exists(f.file(serverLock)) {
		return true
	}
	lock, err := tryLock(f.file(serverLock))
	if lock == nil {
		return err != nil
	}
	return lock.Close() == nil
}
