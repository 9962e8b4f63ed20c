// Command dg serves the reporting API of DG and manages its database. `dg --help` is the reference of its commands and
// settings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"

	"dg/platform/telemetry"
)

// version is set when a release is built.
var version = "dev"

// cli is every command and setting of the program.
type cli struct {
	LogLevel  string `env:"DG_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least level that is logged: debug, info, warn or error."`
	LogFormat string `env:"DG_LOG_FORMAT" default:"text" enum:"text,json" help:"Form of the log: text or json."`

	Serve    serveCmd    `cmd:"" help:"Serve the API and the screens. An empty database is migrated first."`
	Migrate  migrateCmd  `cmd:"" help:"Bring the database's schema and the serving role's rights up to date."`
	Import   importCmd   `cmd:"" help:"Bring organisations and their histories in (NDJSON, plain or gzip)."`
	Demo     demoCmd     `cmd:"" help:"Load the demo organisations into an empty database and make a new demo key."`
	Segments segmentsCmd `cmd:"" help:"Look at, verify or rebuild the segments that make statistics of large forks fast."`
	Account  accountCmd  `cmd:"" help:"Let somebody who has lost password or phone sign in again."`
	Licences licencesCmd `cmd:"" help:"Print the licences of the third-party software in the binary."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// process is what a command gets of the process that it runs in.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	log            *slog.Logger
	own            bool // whether the process is the command's alone, which may give up root then
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal does not wait for the end of what the first has ended: it kills
	status := run(ctx, os.Args[1:], process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, own: true})
	stop()
	os.Exit(status)
}

// run parses the arguments, runs the command and returns the exit status.
func run(ctx context.Context, args []string, p process) int {
	var c cli
	status := -1
	parser, err := kong.New(&c, kong.Name("dg"), kong.UsageOnError(), kong.Writers(p.stdout, p.stderr), kong.Exit(func(code int) { status = code }),
		kong.Description("The reporting API of DG, and its screens. Every setting is a flag or an environment variable."), kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Help(printHelp),
		kong.BindTo(ctx, (*context.Context)(nil)))
	if err != nil {
		panic(err) // the struct above is wrong
	}
	parsed, err := parser.Parse(args)
	if status >= 0 { // --help
		return status
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "dg:", err)
		return 2
	}
	if p.log, err = telemetry.NewLogger(p.stderr, c.LogLevel, c.LogFormat); err != nil {
		fmt.Fprintln(p.stderr, "dg:", err)
		return 2
	}
	slog.SetDefault(p.log)
	err = parsed.Run(p)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted before it was done")
	}
	if err != nil {
		fmt.Fprintln(p.stderr, "dg:", err)
		return 1
	}
	return 0
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(p process) error {
	_, err := fmt.Fprintf(p.stdout, "dg %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
