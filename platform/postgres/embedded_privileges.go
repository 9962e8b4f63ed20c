package postgres

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// DropPrivileges makes this process, where it is root, the user that the server runs as, for good: every thread, without
// root's groups and capabilities. It returns the user's id, or 0 where there was nothing to give up: not root, or a
// system other than Linux. Stop and Done work on; ports below 1024 and files of root's are to be open by then.
//
// It fails where the data folder, or the system, doesn't allow it. The process is still root then.
func (e *Embedded) DropPrivileges() (uid int, err error) {
	cred := e.folder.cred
	if cred == nil || !canDrop {
		return 0, nil
	}
	for _, name := range []string{serverLock, aliveFIFO} {
		if err := e.folder.handOver(name); err != nil {
			return 0, fmt.Errorf("data folder %q: %w", e.folder.path, err)
		}
	}
	if err := become(cred); err != nil {
		return 0, fmt.Errorf("become user %d: %w", cred.Uid, err)
	}
	return int(cred.Uid), nil
}

// handOver makes a file of the folder the server's user's. It never follows or changes what that user may have put in its
// place.
func (f folder) handOver(name string) error {
	file, err := os.OpenFile(f.file(name), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if kind := info.Mode().Type(); kind != 0 && kind != fs.ModeNamedPipe || info.Sys().(*syscall.Stat_t).Nlink != 1 {
		return fmt.Errorf("%s is not what it should be: %s", name, info.Mode())
	}
	return file.Chown(int(f.cred.Uid), int(f.cred.Gid))
}
