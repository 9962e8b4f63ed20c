package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"

	"dg/platform/apperr"
	"dg/platform/config"
	"dg/platform/telemetry"
)

type cli struct {
	LogLevel  string       `env:"DG_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"${level}"`
	LogFormat string       `env:"DG_LOG_FORMAT" default:"text" enum:"text,json" help:"Log format: text or json."`
	Config    settingsFile `placeholder:"FILE" help:"${config}"`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve        serveCmd        `cmd:"" help:"Migrate the database, then serve the API and the screens."`
	Migrate      migrateCmd      `cmd:"" help:"Migrate the database schema and the rights of the serving role."`
	Import       importCmd       `cmd:"" help:"Import organisations and their histories (NDJSON, plain or gzip)."`
	Demo         demoCmd         `cmd:"" help:"Load the demo organisations into an empty database and create a new demo key."`
	Segments     segmentsCmd     `cmd:"" help:"Rebuild the segments that make statistics of large forks fast."`
	Database     databaseCmd     `cmd:"" help:"Print the owner's URL of the database, for psql, pg_dump and pg_restore."`
	Audit        auditCmd        `cmd:"" help:"Move old entries of the audit logs to a file."`
	Erase        eraseCmd        `cmd:"" help:"Erase players with their plays."`
	Organisation organisationCmd `cmd:"" help:"Create and list organisations, and change a plan."`
	Member       memberCmd       `cmd:"" help:"Add and remove members of an organisation, and change roles."`
	Account      accountCmd      `cmd:"" help:"Restore access for a person who has lost a password or phone, or delete an account."`
	Doctor       doctorCmd       `cmd:"" help:"Check settings, machine and database, and say how to fix what is wrong. Changes nothing."`
	Health       healthCmd       `cmd:"" help:"Ask the dg serve on this machine whether it is ready. For health checks of containers."`
}

// Stdio has the input, output and log of a command. Tests pass buffers.
type Stdio struct {
	Stdin            io.Reader
	Stdout, Stderr   io.Writer
	log              *slog.Logger
	unknownVariables []string // variables that look like settings but are not
}

// checkedWriter keeps a write error, so that a command whose output is lost fails.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(b []byte) (n int, err error) {
	if n, err = w.Writer.Write(b); err != nil {
		w.err = fmt.Errorf("standard output cannot be written, and is incomplete: %w", err)
	}
	return n, w.err
}

func (stdio Stdio) print(format string, args ...any) error {
	_, err := fmt.Fprintf(stdio.Stdout, format, args...)
	return err
}

// urlPattern matches a URL and all that follows it in a message, which may be part of its password.
var urlPattern = regexp.MustCompile(`(?s)[^\s="]*://.*`)

// Run runs the command of args. The exit status is 0, 1 for a failure or 2 for wrong arguments.
func Run(ctx context.Context, args []string, stdio Stdio) int {
	var c cli
	out := &checkedWriter{Writer: stdio.Stdout}
	stdio.Stdout = out
	exitStatus := -1
	parsed, err := newParser(ctx, &c, stdio, &exitStatus).Parse(args)
	if exitStatus >= 0 { // --help or --version was used
		return exitStatus
	}
	if err != nil {
		fmt.Fprintln(stdio.Stderr, "dg:", urlPattern.ReplaceAllString(err.Error(), "a URL, not shown"))
		return 2
	}
	stdio.log = telemetry.NewLogger(stdio.Stderr, c.LogLevel, c.LogFormat)
	stdio.unknownVariables = unknownSettings(parsed.Model)
	slog.SetDefault(stdio.log)
	var o *operator
	err = parsed.BindSingletonProvider(func() (_ *operator, err error) {
		o, err = openOperator(ctx, parsed, stdio)
		return o, err
	})
	if err == nil {
		err = parsed.Run(stdio)
		err = cmp.Or(err, out.err)
	}
	if o != nil {
		o.Close()
		o.release()
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted before it was done")
	}
	if err != nil {
		message := err.Error()
		if apiError, ok := errors.AsType[*apperr.Error](err); ok {
			message = strings.TrimPrefix(message, string(apiError.Code)+": ") // error codes are for API clients
		}
		fmt.Fprintln(stdio.Stderr, "dg:", message)
		return 1
	}
	return 0
}

func decodeNetwork(c *kong.DecodeContext, target reflect.Value) error {
	text := strings.TrimSpace(c.Scan.Pop().String())
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() { // a mapped network would contain no client
		return fmt.Errorf("%q is not a network: write a CIDR, such as 10.0.0.0/8, or 10.0.0.1/32 for one "+
			"address", text)
	}
	target.Set(reflect.ValueOf(prefix))
	return nil
}

// version is set by the linker (-X).
var version = "dev"

// newParser returns kong's parser. --help and --version set exitStatus, and do not end the process.
func newParser(ctx context.Context, c *cli, stdio Stdio, exitStatus *int) *kong.Kong {
	return kong.Must(c, kong.Name("dg"), kong.UsageOnError(), kong.Writers(stdio.Stdout, stdio.Stderr),
		kong.Exit(func(code int) { *exitStatus = code }),
		kong.Description(
			"The reporting API of DG, and its screens. dg serve --help explains every setting.",
		),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Resolvers(kong.ResolverFunc(readSecretFile)),
		kong.TypeMapper(reflect.TypeFor[netip.Prefix](), kong.MapperFunc(decodeNetwork)),
		kong.Vars{
			"version": fmt.Sprintf("dg %s (%s, %s/%s)", version, runtime.Version(), runtime.GOOS,
				runtime.GOARCH),
			"level": "Lowest level in the log: debug, info, warn or error.",
			"config": "File of variables, one NAME=VALUE a line without quotes. Flags and the " +
				"environment win over it.",
		}, kong.Vars(config.Help))
}

// fileSuffix ends the variable that names a secret's file: DG_SECRET_KEY_FILE for DG_SECRET_KEY.
const fileSuffix = "_FILE"

// settingsFile is the path of a file of variables. The environment overrides them.
type settingsFile string

// BeforeReset sets the file's variables before kong reads the environment.
func (settingsFile) BeforeReset(c *kong.Context, parsed *kong.Path) error {
	path := string(c.FlagValue(parsed.Flag).(settingsFile))
	text, err := readText(path)
	if err != nil {
		return fmt.Errorf("--config: %w (run dg as root or as the user of dg serve)", err)
	}
	defined := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		_, isSet := os.LookupEnv(name)
		switch {
		case !ok || strings.ContainsAny(name, " \t"):
			return fmt.Errorf("%s: line %d is not NAME=VALUE", path, i+1)
		case defined[name]:
			return fmt.Errorf("%s: line %d sets %s a second time", path, i+1, name)
		// a shell or Compose would read these characters differently from the same file
		case strings.ContainsAny(value, "\"'\\$"):
			return fmt.Errorf("%s: line %d: %s has a quote, a backslash or $: write a value as it is, "+
				"percent-encoded in a URL, or a secret into its own file (dg serve --help)", path, i+1, name)
		case !isSet:
			err = os.Setenv(name, strings.TrimSpace(value))
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		defined[name] = true
	}
	return nil
}

// readText returns a file's text. It removes a byte order mark, which some editors write.
func readText(path string) (string, error) {
	text, err := os.ReadFile(path)
	return strings.TrimPrefix(string(text), "\ufeff"), err
}

// readSecretFile is a kong resolver. It reads a secret from the file that NAME_FILE names.
func readSecretFile(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !flag.Tag.Has("secret") {
		return nil, nil
	}
	name := flag.Envs[0]
	path := os.Getenv(name + fileSuffix)
	if path == "" {
		return nil, nil
	}
	if os.Getenv(name) != "" {
		return nil, fmt.Errorf("%s and %s%s are both set: set one", name, name, fileSuffix)
	}
	text, err := readText(path)
	if text = strings.TrimSpace(text); err == nil && text == "" { // without the error, no secret would be set
		err = fmt.Errorf("%s is empty", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", name, fileSuffix, err)
	}
	return text, nil
}

// kubernetesVariable matches the variables that Kubernetes sets for a Service named dg.
var kubernetesVariable = regexp.MustCompile(`^DG_(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP)|=(tcp|udp):))`)

// unknownSettings returns the DG_ variables that are not settings, such as misspelt names.
func unknownSettings(program *kong.Application) (names []string) {
	isSetting := map[string]bool{}
	_ = kong.Visit(program.Node, func(v kong.Visitable, next kong.Next) error {
		if flag, ok := v.(*kong.Flag); ok {
			for _, name := range flag.Envs {
				isSetting[name] = true
				isSetting[name+fileSuffix] = flag.Tag.Has("secret")
			}
		}
		return next(nil)
	})
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, "DG_") && !isSetting[name] && !kubernetesVariable.MatchString(line) {
			names = append(names, name)
		}
	}
	return names
}
