package commands

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// fileSuffix names the variable of a file that holds a secret: DG_SECRET_KEY_FILE for
// DG_SECRET_KEY.
const fileSuffix = "_FILE"

// settingsSource gives settings that are neither flags nor environment variables: from files that
// hold one secret each (DG_…_FILE), and from the configuration file (DG_CONFIG). Flags win over
// variables, and variables over the file.
type settingsSource struct {
	known map[string]bool // the variables of all commands
	lines map[string]string
}

// BeforeResolve implements kong's hook: it reads the configuration file before any setting is
// looked up.
func (c *cli) BeforeResolve(parsed *kong.Context) error {
	source := &settingsSource{known: map[string]bool{}}
	source.learn(parsed.Model.Node)
	if err := source.load(configFile(parsed)); err != nil {
		return err
	}
	parsed.AddResolver(source)
	return nil
}

// learn adds the variables of a command, of those below it, and of the files of secrets.
func (s *settingsSource) learn(command *kong.Node) {
	for _, flag := range command.Flags {
		for _, env := range flag.Envs {
			s.known[env] = true
			if flag.Tag.Has("secret") {
				s.known[env+fileSuffix] = true
			}
		}
	}
	for _, child := range command.Children {
		s.learn(child)
	}
}

// Validate implements kong.Resolver.
func (s *settingsSource) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it returns the value of a setting that no flag sets, or nil.
func (s *settingsSource) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if len(flag.Envs) == 0 || flag.Name == "config" {
		return nil, nil
	}
	env := flag.Envs[0]
	_, inEnvironment := os.LookupEnv(env)
	if flag.Tag.Has("secret") {
		path := cmp.Or(os.Getenv(env+fileSuffix), s.lines[env+fileSuffix])
		if path != "" && (inEnvironment || s.lines[env] != "") {
			return nil, fmt.Errorf("%s and %s%s are both set: set one", env, env, fileSuffix)
		}
		if path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", env, fileSuffix, err)
			}
			return strings.TrimSpace(string(text)), nil
		}
	}
	if value, ok := s.lines[env]; ok && !inEnvironment {
		return value, nil
	}
	return nil, nil
}

// load reads the configuration file, if there is one.
func (s *settingsSource) load(path string) error {
	if path == "" {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("DG_CONFIG: %w", err)
	}
	if s.lines, err = parseSettings(string(text)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(s.lines)) {
		if !s.known[name] {
			return fmt.Errorf("%s: %s is not a setting: dg --help lists them", path, name)
		}
	}
	return nil
}

func configFile(c *kong.Context) string {
	for _, flag := range c.Model.Flags {
		if flag.Name == "config" {
			path, _ := c.FlagValue(flag).(string)
			return path
		}
	}
	return ""
}

// parseSettings reads lines of NAME=VALUE, as systemd's EnvironmentFile and the env files of
// containers do. Values are taken as they are: no quotes, and nothing is expanded, so that every
// password can be written.
func parseSettings(text string) (map[string]string, error) {
	settings := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d is not NAME=VALUE", i+1)
		}
		if _, twice := settings[name]; twice {
			return nil, fmt.Errorf("line %d sets %s a second time", i+1, name)
		}
		settings[name] = value
	}
	return settings, nil
}
