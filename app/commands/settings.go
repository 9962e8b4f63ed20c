package commands

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// fileSuffix turns a secret's variable into its file's: DG_SECRET_KEY into DG_SECRET_KEY_FILE.
const fileSuffix = "_FILE"

// settingsFile is the path of a file of variables, which the environment overrides.
type settingsFile string

// BeforeReset sets the file's variables before kong reads the environment.
func (settingsFile) BeforeReset(c *kong.Context, at *kong.Path) error {
	path := string(c.FlagValue(at.Flag).(settingsFile))
	text, err := readText(path)
	if err != nil {
		return fmt.Errorf("--config: %w (run dg as root or as the user of dg serve)", err)
	}
	seen := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		_, set := os.LookupEnv(name)
		switch {
		case !ok || strings.ContainsAny(name, " \t"):
			return fmt.Errorf("%s: line %d is not NAME=VALUE", path, i+1)
		case seen[name]:
			return fmt.Errorf("%s: line %d sets %s a second time", path, i+1, name)
		// a shell, systemd and Compose interpret some of these: the file must mean the same to each
		case strings.ContainsAny(value, "\"'\\$"):
			return fmt.Errorf("%s: line %d: %s has a quote, a backslash or $: write a value as it is, "+
				"percent-encoded in a URL, or a secret into the file of %s%s", path, i+1, name, name,
				fileSuffix)
		case !set:
			err = os.Setenv(name, strings.TrimSpace(value))
		}
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", path, i+1, err)
		}
		seen[name] = true
	}
	return nil
}

// readText returns a file's text without the byte order mark that some editors write.
func readText(path string) (string, error) {
	text, err := os.ReadFile(path)
	return strings.TrimPrefix(string(text), "\ufeff"), err
}

// secretFile is a kong resolver. It reads a secret from the file named by the variable NAME_FILE.
func secretFile(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
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
	if err != nil {
		return nil, fmt.Errorf("%s%s: %w", name, fileSuffix, err)
	}
	return strings.TrimSpace(text), nil
}

// unknownSettings returns DG_ variables that are no setting, such as misspelt ones.
func unknownSettings(program *kong.Application) (names []string) {
	known := map[string]bool{}
	_ = kong.Visit(program.Node, func(v kong.Visitable, next kong.Next) error {
		if flag, is := v.(*kong.Flag); is {
			for _, name := range flag.Envs {
				known[name] = true
				known[name+fileSuffix] = flag.Tag.Has("secret")
			}
		}
		return next(nil)
	})
	for _, line := range os.Environ() {
		if name, _, _ := strings.Cut(line, "="); strings.HasPrefix(name, "DG_") && !known[name] {
			names = append(names, name)
		}
	}
	return names
}
