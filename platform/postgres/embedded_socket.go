package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// socketName is the socket in its folder. Beside it PostgreSQL keeps a lock file with its process id.
const socketName = ".s.PGSQL.5432"

// maxSocketFolder leaves room for "/.s.PGSQL.5432" and, while the server starts, its ".lock": a socket's path has at
// most 103 bytes on a Mac and 107 on Linux.
const maxSocketFolder = 80

// plainPath is what needs no quoting in unix_socket_directories.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9._/+-]+$`)

// makeSocketFolder gives a short folder for the socket, 0700 and the server's user's. The caller holds the server's lock.
//
// The last one is used again, where it was made for this data folder: what is in it then is what a crash has left.
// A copied data folder still names the original's, whose server may run.
func (f folder) makeSocketFolder() (string, error) {
	last, err := f.readSocket()
	if err == nil && strings.HasPrefix(filepath.Base(last), f.socketPrefix()) && f.ownsAlone(last) && removeStaleSocket(last) == nil {
		return last, nil
	}
	bases := []string{os.TempDir(), "/tmp"}
	if f.cred != nil {
		// Not TMPDIR, which the server's user may not be able to enter; and /tmp first, where a process that has become
		// that user can remove the folder again.
		bases = []string{"/tmp", "/run"}
	}
	var errs error
	for _, base := range bases {
		if !plainPath.MatchString(base) || len(base)+len("/"+f.socketPrefix()+"0123456789") > maxSocketFolder {
			continue
		}
		path, err := os.MkdirTemp(base, f.socketPrefix())
		if err == nil {
			err = errors.Join(f.makeOwn(path), f.writeSocket(path))
		}
		if err == nil {
			return path, nil
		}
		errs = errors.Join(errs, err)
	}
	return "", errs
}

// socketPrefix begins the names of the socket folders of this data folder, and of no other.
func (f folder) socketPrefix() string {
	hash := sha256.Sum256([]byte(f.path))
	return "dg-" + hex.EncodeToString(hash[:4]) + "-"
}

var errAnswers = errors.New("a server answers there")

// removeStaleSocket removes a socket on which nobody answers, and its lock file. PostgreSQL would refuse to start where
// the lock file is empty or its process id belongs to another process of the server's user by now. It fails with
// errAnswers where a server does answer.
func removeStaleSocket(path string) error {
	if answers(filepath.Join(path, socketName)) {
		return errAnswers
	}
	for _, name := range []string{socketName, socketName + ".lock"} {
		if err := os.Remove(filepath.Join(path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// answers reports whether a server listens on the socket.
func answers(socket string) bool {
	conn, err := net.Dial("unix", socket) //nolint:noctx // a local socket answers at once
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// ownsAlone reports whether path is a real folder that only the server's user can enter.
func (f folder) ownsAlone(path string) bool {
	uid := os.Geteuid()
	if f.cred != nil {
		uid = int(f.cred.Uid)
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && info.Mode().Perm() == 0o700 && int(info.Sys().(*syscall.Stat_t).Uid) == uid
}

func (f folder) readSocket() (string, error) {
	text, err := os.ReadFile(f.file(socketFile))
	return strings.TrimSpace(string(text)), err
}

// writeSocket replaces the file whole: others read it while they try to join.
func (f folder) writeSocket(path string) error {
	temp := f.file(socketFile + ".new")
	if err := os.WriteFile(temp, []byte(path+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, f.file(socketFile))
}
