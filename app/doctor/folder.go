package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"dg/platform/embeddedpg"
)

// findFolder checks the folder of the embedded server, and the room on its disk.
func findFolder(ctx context.Context, s *Subject) (findings []Finding) {
	if !s.Embedded() {
		return nil
	}
	const readWriteSearch = 7
	fail := func(says, fix string) {
		findings = append(findings, Finding{"folder", Failure, says, fix})
	}
	if err := embeddedpg.CheckFolder(s.DataDir); err != nil {
		fail(fmt.Sprintf("data folder %q cannot be used: %v", s.DataDir, err),
			"Set DG_DATA_DIR to an empty folder, and run dg as its owner.")
	} else if dir := existing(s.DataDir); syscall.Access(dir, readWriteSearch) != nil {
		fail("this user may not read and write "+dir,
			"Run dg as the user of dg serve, or set DG_DATA_DIR to a folder of this user.")
	} else if _, err := embeddedpg.FindProgram(ctx, s.DataDir, "postgres"); err != nil {
		fail(err.Error(), "Install PostgreSQL, or set DG_DATABASE_URL.")
	}
	if free, size, err := DiskOf(s.DataDir); err == nil {
		findings = append(findings, room(free, size)...)
	}
	return findings
}

// room warns of a disk with less than 1 GiB or a twentieth free.
func room(free, size uint64) []Finding {
	const gib = 1 << 30
	if free >= gib && free >= size/20 {
		return nil
	}
	return []Finding{{"disk", Warning, fmt.Sprintf("%.1f of %.1f GiB are free for the data",
		float64(free)/gib, float64(size)/gib),
		"Free some room: PostgreSQL stops when its disk is full."}}
}

// existing returns the folder, or the nearest above it that exists.
func existing(dir string) string {
	for path, _ := filepath.Abs(dir); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
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
