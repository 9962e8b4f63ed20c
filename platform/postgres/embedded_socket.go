package postgres

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"syscall"
)

// maxSocketFolder leaves room for "/.s.PGSQL.5432" and, while the server starts, its ".lock": a socket's path has at
// most 103 bytes on a Mac and 107 on Linux.
const maxSocketFolder = 80

// plainPath is what needs no quoting in unix_socket_directories.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9._/+-]+$`)

// makeSocketFolder gives a short folder for the socket, 0700 and the server's user's; the last one is used again.
func (f folder) makeSocketFolder() (string, error) {
	if last, err := f.readSocket(); err == nil && f.ownsAlone(last) {
		return last, nil
	}
	bases := []string{os.TempDir(), "/tmp"}
	if f.cred != nil {
		bases = []string{"/run", "/tmp"} // TMPDIR may be one that the server's user can't enter
	}
	var errs error
	for _, base := range bases {
		if !plainPath.MatchString(base) || len(base)+len("/dg-0123456789") > maxSocketFolder {
			continue
		}
		path, err := os.MkdirTemp(base, "dg-")
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
