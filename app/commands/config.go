package commands

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dg/app/settings"
	"dg/platform/config"
	"dg/platform/postgres"
)

// configCmd is `dg config`.
type configCmd struct{ serveSettings }

// Run prints the settings that dg serve would use, and where each comes from.
func (configCmd) Run(c *kong.Context, p Stdio) error {
	for _, name := range p.unknown {
		p.log.Warn(name + " is not a setting: dg --help lists the settings")
	}
	for _, flag := range append(slices.Clone(c.Model.Flags), c.Selected().Flags...) {
		if len(flag.Envs) == 0 {
			continue
		}
		value := shown(flag, c.FlagValue(flag))
		if flag.Name == "config" {
			value = settings.File(c)
		}
		if err := p.print("%s=%s  # %s\n", flag.Envs[0], value, sourceOf(c, flag)); err != nil {
			return err
		}
	}
	return p.print("PG_BIN=%s  # %s\n", os.Getenv("PG_BIN"), inEnvironment("PG_BIN"))
}

// shown returns the value of a setting with its secrets masked.
func shown(flag *kong.Flag, value any) string {
	text := fmt.Sprint(value)
	if list, ok := value.([]string); ok {
		text = strings.Join(list, ",")
	}
	isURL := strings.HasPrefix(flag.PlaceHolder, "URL")
	secret := flag.Tag.Has("secret")
	switch {
	case text == "":
		return ""
	case isURL && secret:
		return shownDatabases(text)
	case isURL:
		return maskedURL(text)
	case secret:
		return hidden
	default:
		return text
	}
}

const hidden = "(hidden)"

// shownDatabases masks the passwords of a list of database URLs. It hides an invalid URL whole,
// because the password cannot be located.
func shownDatabases(text string) string {
	urls, ok := config.Database{ReplicaURLs: text}.Replicas()
	if !ok {
		urls = []string{text} // keywords
	}
	for i, u := range urls {
		if _, err := postgres.RoleOf(u); err != nil {
			return hidden
		}
		urls[i] = postgres.Redact(errors.New(u)).Error()
	}
	return strings.Join(urls, " ")
}

// urlSecrets finds the user and the query of a URL, also of an invalid one.
var urlSecrets = regexp.MustCompile(`(?s)^(\w+://)?(.*@)?([^?]*)(\?.*)?$`)

// maskedURL hides user and query of a URL, because either may hold a password.
func maskedURL(text string) string {
	parts := urlSecrets.FindStringSubmatch(text)
	for i, mask := range map[int]string{2: "***@", 4: "?***"} {
		if parts[i] != "" {
			parts[i] = mask
		}
	}
	return strings.Join(parts[1:], "")
}

// sourceOf says where the value of a setting comes from.
func sourceOf(c *kong.Context, flag *kong.Flag) string {
	for _, path := range c.Path {
		if path.Flag == flag && path.Resolved {
			return "file"
		}
		if path.Flag == flag {
			return "flag"
		}
	}
	return inEnvironment(flag.Envs[0])
}

func inEnvironment(name string) string {
	if _, ok := os.LookupEnv(name); ok {
		return "environment"
	}
	return "default"
}
