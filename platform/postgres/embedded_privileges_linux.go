package postgres

import "syscall"

const canDrop = true

// become changes the user of every thread. The groups go first: without root they could not. A process that was root
// stays undumpable: no other of the user's, PostgreSQL among them, reads its memory, and it needs none of /proc/self for
// which that matters.
func become(cred *syscall.Credential) error {
	groups := make([]int, len(cred.Groups))
	for i, g := range cred.Groups {
		groups[i] = int(g)
	}
	if err := syscall.Setgroups(groups); err != nil {
		return err
	}
	if err := syscall.Setgid(int(cred.Gid)); err != nil {
		return err
	}
	return syscall.Setuid(int(cred.Uid))
}
