package embeddedpg

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// Names within a data folder. For root, data and run belong to the server's user and the rest to
// root.
const (
	dataFolder    = "data"     // the database cluster
	newDataFolder = "data.new" // the cluster while initdb fills it
	serverLock    = "server.lock"
	logFile       = "postgres.log"
	runFolder     = "run"
	usersPipe     = "run/users"

	// holds the data if the server's user cannot enter the requested folder
	relocationRoot = "/var/lib/dg"
)

// folder is a data folder that is ready for use, and the user that the server runs as.
type folder struct {
	path   string
	socket string // the folder of the Unix socket
	user   *syscall.Credential
}

func (f folder) file(name string) string { return filepath.Join(f.path, name) }

// openFolder prepares dir, or the folder that root's data moves to.
func openFolder(ctx context.Context, dir string, log *slog.Logger) (f folder, err error) {
	if f.path, err = filepath.Abs(dir); err != nil {
		return f, err
	}
	f.user = ownUser()
	if os.Geteuid() == 0 {
		if f, err = placeForRoot(ctx, f.path, log); err != nil {
			return f, err
		}
	}
	if err := f.prepare(); err != nil {
		return f, fmt.Errorf("data folder %q cannot be used: %w", f.path, err)
	}
	if !f.reaches(ctx, f.path) {
		return f,
			fmt.Errorf("data folder %q cannot be entered by user %d, which PostgreSQL runs as "+
				"(it refuses to run as root): "+
				"allow it (chmod a+x on the folder and those above), or name another folder",
				f.path,
				f.user.Uid)
	}
	// A socket's path has at most 103 bytes, so it is not in the data folder. The inode makes its
	// folder the same for every process on the data folder, and another for a copy.
	var stat syscall.Stat_t
	err = syscall.Stat(f.path, &stat)
	f.socket = fmt.Sprintf("/tmp/dg-%d-%x-%x", f.user.Uid, stat.Dev, stat.Ino)
	return f, err
}

// ownUser is the user of this process.
func ownUser() *syscall.Credential {
	return &syscall.Credential{
		Uid:         uint32(os.Geteuid()),
		Gid:         uint32(os.Getegid()),
		NoSetGroups: true,
	}
}

// HasData reports whether there is a database for the folder dir.
func HasData(dir string) bool {
	path, _ := filepath.Abs(dir)
	return exists(filepath.Join(path, dataFolder)) ||
		exists(filepath.Join(relocated(path), dataFolder))
}

// relocated is where the data of a folder is that the server's user cannot enter.
func relocated(path string) string {
	return filepath.Join(relocationRoot, fmt.Sprintf("%x", sha256.Sum256([]byte(path)))[:16])
}

// placeForRoot chooses the server's user, because PostgreSQL refuses to be root, and a folder that
// this user can enter.
func placeForRoot(ctx context.Context, path string, log *slog.Logger) (f folder, err error) {
	f.path = path
	if moved := (folder{path: relocated(path)}); !exists(f.file(dataFolder)) &&
		exists(moved.file(dataFolder)) {
		f.path = moved.path
	}
	if f.user, err = serverUser(f.file(dataFolder)); err != nil {
		return f, err
	}
	above := filepath.Dir(path)
	for !exists(above + "/.") { // a file counts as missing: creating the folder says what is wrong
		above = filepath.Dir(above)
	}
	if !exists(f.file(dataFolder)) && !f.reaches(ctx, above) {
		f.path = relocated(path)
	}
	if f.path != path {
		log.Warn("the data folder is inside one that only root can enter, and PostgreSQL refuses "+
			"to run as root: the data is in another folder",
			"asked", path, "used", f.path, "user", f.user.Uid)
	}
	return f, nil
}

// serverUser is the owner of the data; for a new folder postgres, or nobody if there is no such
// user.
func serverUser(data string) (*syscall.Credential, error) {
	if info, err := os.Stat(data); err == nil {
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 0 {
			return &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, err := strconv.Atoi(u.Uid) // nobody is -2 on a Mac
			gid, _ := strconv.Atoi(u.Gid)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
		}
	}
	return nil,
		errors.New(
			"PostgreSQL refuses to run as root, and this machine has neither a user postgres nor " +
				"a user nobody: add one",
		)
}

// reaches reports whether the server's user can enter the folder. It asks the system, which knows
// access lists and mounts.
func (f folder) reaches(ctx context.Context, path string) bool {
	return f.command(ctx, "/bin/sh", "-c", `cd "$1"`, "sh", path).Run() == nil
}

// prepare creates the folder and run. It refuses a folder with other files.
func (f folder) prepare() error {
	mode := fs.FileMode(0o700)
	restore := syscall.Umask(0o066)
	// the server's user must be able to enter the folders, also with a strict umask
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	err := os.MkdirAll(f.path, mode)
	syscall.Umask(restore)
	if err != nil {
		return err
	}
	if err := CheckFolder(f.path); err != nil {
		return err
	}
	return f.makePrivate(f.file(runFolder))
}

// CheckFolder refuses a folder with other files. One that does not exist is fine.
func CheckFolder(dir string) error {
	f := folder{path: dir}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == "lost+found"
	})
	if len(entries) > 0 && !exists(f.file(dataFolder)) && !exists(f.file(runFolder)) {
		return fmt.Errorf(
			"it holds other files (%s): name an empty folder or one that does not exist",
			entries[0].Name(),
		)
	}
	return nil
}

// makePrivate creates a folder of the server's user with mode 0700. It refuses a folder of another
// user.
func (f folder) makePrivate(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	if !info.IsDir() || info.Mode().Perm() != 0o700 ||
		owner != f.user.Uid && owner != uint32(os.Geteuid()) {
		return fmt.Errorf("%q is not a folder of user %d alone: run dg as its owner, or remove it",
			path, f.user.Uid)
	}
	return os.Lchown(path, int(f.user.Uid), int(f.user.Gid))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (f folder) openLock() (*os.File, error) {
	return os.OpenFile(f.file(serverLock), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
}

// tryLock takes a file's lock if it is free. The lock is released when every process that inherited
// the file has ended.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
