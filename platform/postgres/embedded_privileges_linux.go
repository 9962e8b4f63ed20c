package postgres

import "syscall"

const canDrop = true

// become changes the user of every thread. The groups go first: without root they could not.
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
	if err := syscall.Setuid(int(cred.Uid)); err != nil {
		return err
	}
	// A process that was root keeps /proc/self from its new user, which the metrics read. Any other process of this user
	// is as open. Where it fails, a metric is missing.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 1, 0)
	return nil
}
