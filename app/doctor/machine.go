package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// The bounds of the machine's checks.
const (
	minFiles     = 4096    // each client connection is a file, and dg keeps a reserve
	minRoom      = 1 << 30 // bytes free for the embedded server's data
	minRoomShare = 20      // free: at least 1/20 of its disk
)

// Root warns of a process that has more rights than it needs.
func Root(uid int, embedded bool) Finding {
	switch {
	case uid != 0:
		return ok("user", "runs as user %d", uid)
	case embedded:
		return ok("user", "runs as root, and becomes the owner of the data folder when it serves")
	default:
		return Warn("user", "runs as root, which it does not need",
			"Start dg as a user of its own.")
	}
}

// Files checks the limit of open files of this process.
func Files(limit uint64) Finding {
	if limit < minFiles {
		return Warn("files",
			fmt.Sprintf("may open %d files, and each client connection is one", limit),
			fmt.Sprintf("Raise the limit to %d or more: ulimit -n, or LimitNOFILE in the unit.",
				minFiles))
	}
	return ok("files", "may open %d files", limit)
}

// FileLimit returns how many files this process may open.
func FileLimit() uint64 {
	var files syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files) != nil {
		return 0
	}
	return uint64(files.Cur) //nolint:unconvert // signed on some systems
}

// Addresses checks that dg serve can listen on the addresses of DG_ADDR and DG_OPS_ADDR. inUse is
// the verdict on a port in use: for dg doctor, dg serve itself may use it.
func Addresses(ctx context.Context, addr, ops string, inUse Verdict) (findings []Finding) {
	if _, port, _ := net.SplitHostPort(addr); addr == ops && port != "0" {
		return []Finding{Fail("address", "DG_ADDR and DG_OPS_ADDR are both "+addr,
			"Set DG_OPS_ADDR to another port.")}
	}
	for i, setting := range []string{"DG_ADDR", "DG_OPS_ADDR"} {
		address := []string{addr, ops}[i]
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		switch {
		case err == nil:
			_ = ln.Close()
			findings = append(findings, ok("address", "%s %s is free", setting, address))
		case errors.Is(err, syscall.EADDRINUSE):
			findings = append(findings, Finding{"address", inUse, setting + " " + address + " is in use",
				"Set " + setting + " to a free address, unless dg serve runs now."})
		default:
			findings = append(findings, Fail("address",
				fmt.Sprintf("cannot listen on %s %s: %v", setting, address, err), "Set "+setting+
					" to an address of this machine, with a port above 1023 or the right to use it."))
		}
	}
	return findings
}

// Writable reports whether this user may read and write the folder.
func Writable(dir string) bool {
	const readWriteSearch = 7
	return syscall.Access(dir, readWriteSearch) == nil
}

// Room checks how much of the disk is free for the data folder.
func Room(free, size uint64) Finding {
	const gib = 1 << 30
	says := fmt.Sprintf("%.1f of %.1f GiB are free for the data", float64(free)/gib,
		float64(size)/gib)
	if free < minRoom || free < size/minRoomShare {
		return Warn("room", says, "Free some room: PostgreSQL stops when its disk is full.")
	}
	return ok("room", "%s", says)
}

// DiskOf returns free and total bytes of the folder's disk. The folder need not exist.
func DiskOf(folder string) (free, size uint64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(existing(folder), &disk); err != nil {
		return 0, 0, err
	}
	block := uint64(disk.Bsize)
	return disk.Bavail * block, disk.Blocks * block, nil
}

// Proxies warns of missing proxies.
func Proxies(base string, trusted []netip.Prefix) Finding {
	if strings.HasPrefix(base, "https://") && len(trusted) == 0 {
		return Warn("proxies",
			"the base URL is https, dg speaks http, and no proxy is trusted: all clients share "+
				"one address and its limits",
			"Set DG_TRUSTED_PROXIES to the network of the proxy that ends TLS.")
	}
	return ok("proxies", "%d trusted networks", len(trusted))
}

// Unknown warns of variables that look like settings but are not.
func Unknown(names []string) (findings []Finding) {
	for _, name := range names {
		findings = append(findings, Warn("settings", name+" is not a setting",
			"Check its spelling: dg --help lists the settings."))
	}
	return findings
}
