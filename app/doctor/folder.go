package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dg/platform/embeddedpg"
)

// Folder checks the folder of the embedded server.
func Folder(ctx context.Context, dataDir string) []Finding {
	dir := existing(dataDir)
	folder := ok("folder", "the database is in %s", dataDir)
	if err := embeddedpg.CheckFolder(dataDir); err != nil {
		folder = Fail("folder", fmt.Sprintf("data folder %q cannot be used: %v", dataDir, err),
			"Set DG_DATA_DIR to an empty folder, and run dg as its owner.")
	} else if !Writable(dir) {
		folder = Fail("folder", "this user may not read and write "+dir,
			"Run dg as the user of dg serve, or set DG_DATA_DIR to a folder of this user.")
	} else if _, err := embeddedpg.FindProgram(ctx, dataDir, "postgres"); err != nil {
		folder = Fail("folder", err.Error(), "Install PostgreSQL, or set DG_DATABASE_URL.")
	} else if !embeddedpg.HasData(dataDir) {
		folder = ok("folder", "the data folder is empty: dg serve makes the database")
	}
	free, size, err := DiskOf(dir)
	if err != nil {
		return []Finding{folder}
	}
	return []Finding{folder, Room(free, size)}
}

// existing returns the folder, or the nearest above it that exists.
func existing(dir string) string {
	for path, _ := filepath.Abs(dir); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
}
