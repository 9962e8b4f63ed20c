// Package settings reads settings from files: one secret a file, and a configuration file quoted as
// for systemd.
package settings

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// FileSuffix names the variable of a file that holds a secret: DG_SECRET_KEY_FILE for
// DG_SECRET_KEY.
const FileSuffix = "_FILE"

// Source resolves settings from files that hold one secret each (DG_…_FILE) and from the
// configuration file (DG_CONFIG). Flags win over variables, and variables over the file.
type Source struct {
	known map[string]bool // the variables of all commands
	lines map[string]string
}

// Packaged is the configuration file of the packages. It is read by default where it exists, so
// that commands use the settings of the service. With an empty DG_CONFIG no file is read.
var Packaged = "/etc/dg/dg.env"

// New returns a source that knows the variables of all commands.
func New(parsed *kong.Context) *Source {
	source := &Source{known: map[string]bool{}}
	source.learn(parsed.Model.Node)
	return source
}

// Unknown returns the variables that look like settings but are not, in order.
func (s *Source) Unknown() (names []string) {
	all := slices.Collect(maps.Keys(s.lines))
	for _, line := range os.Environ() {
		name, _, _ := strings.Cut(line, "=")
		all = append(all, name)
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(all))) {
		if strings.HasPrefix(name, "DG_") && !s.known[name] {
			names = append(names, name)
		}
	}
	return names
}

// learn adds the variables of a command and its subcommands, and those that name files of secrets.
func (s *Source) learn(command *kong.Node) {
	for _, flag := range command.Flags {
		for _, env := range flag.Envs {
			s.known[env] = true
			if flag.Tag.Has("secret") {
				s.known[env+FileSuffix] = true
			}
		}
	}
	for _, child := range command.Children {
		s.learn(child)
	}
}

// Validate implements kong.Resolver.
func (s *Source) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it returns the value of a setting that no flag sets, or nil.
func (s *Source) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 || flag.Name == "config" {
		return nil, nil
	}
	env := flag.Envs[0]
	value, inEnvironment := os.LookupEnv(env)
	if flag.Tag.Has("secret") {
		path := cmp.Or(os.Getenv(env+FileSuffix), s.lines[env+FileSuffix])
		if path != "" && (value != "" || s.lines[env] != "") {
			return nil, fmt.Errorf("%s and %s%s are both set: set one", env, env, FileSuffix)
		}
		if path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", env, FileSuffix, err)
			}
			return strings.TrimSpace(string(text)), nil
		}
	}
	if value, ok := s.lines[env]; ok && !inEnvironment {
		return value, nil
	}
	return nil, nil
}

// Load reads the configuration file, if there is one. It sets variables that are not settings, such
// as PGPASSFILE, in the environment, as systemd's EnvironmentFile does.
func (s *Source) Load(path string) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("DG_CONFIG: %w (run dg as root or as the user of dg serve)", err)
	}
	if s.lines, err = parseSettings(string(text)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for name, value := range s.lines {
		_, set := os.LookupEnv(name)
		if set || s.known[name] || strings.HasPrefix(name, "DG_") {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return nil
}

// File returns the file that --config or DG_CONFIG names, or Packaged if the command has settings.
func File(c *kong.Context) string {
	for _, flag := range c.Model.Flags {
		if flag.Name == "config" {
			if path, _ := c.FlagValue(flag).(string); path != "" {
				return path
			}
		}
	}
	_, named := os.LookupEnv("DG_CONFIG")
	_, err := os.Stat(Packaged)
	settings := c.Selected() != nil && slices.ContainsFunc(c.Selected().Flags,
		func(f *kong.Flag) bool { return len(f.Envs) > 0 })
	if named || err != nil || !settings {
		return ""
	}
	return Packaged
}

// parseSettings reads lines of NAME=VALUE as systemd's EnvironmentFile does: a value may be in
// single or double quotes, and nothing is expanded.
func parseSettings(text string) (map[string]string, error) {
	settings := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", i+1)
		}
		name = strings.TrimSpace(name)
		if _, twice := settings[name]; twice {
			return nil, fmt.Errorf("line %d sets %s a second time", i+1, name)
		}
		if settings[name], ok = unquote(strings.TrimSpace(value)); !ok {
			return nil, fmt.Errorf("line %d: the quote or backslash of %s does not end on its line",
				i+1, name)
		}
	}
	return settings, nil
}

// unquote removes quotes and backslashes as systemd does. A quote counts at the start and after a
// closing quote. A backslash escapes any character outside quotes, and only "\`$ in double quotes.
func unquote(text string) (value string, ok bool) {
	var b strings.Builder
	quote := rune(0)
	mayQuote := true
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\`$", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped = true
			mayQuote = false
		case quote != 0 && r == quote:
			quote = 0
			mayQuote = true
		case quote == 0 && mayQuote && (r == '"' || r == '\''):
			quote = r
		default:
			b.WriteRune(r)
			mayQuote = false
		}
	}
	return b.String(), quote == 0 && !escaped
}
