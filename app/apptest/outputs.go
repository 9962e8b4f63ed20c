package apptest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// Outputs are what a test saw, by place: output, bodies, logs, tables.
type Outputs map[string]string

// secretShapes are the shapes of secrets.
var secretShapes = map[string]*regexp.Regexp{
	"a key":              regexp.MustCompile(`dg_live_[0-9A-Za-z]{20,}_[0-9A-Za-z]{40,}`),
	"a password hash":    regexp.MustCompile(`\$argon2id\$v=\d+\$m=\d`),
	"a session's cookie": regexp.MustCompile(`__Host-[a-z-]+=[0-9A-Za-z_-]{16,}`),
	"a password of a URL": regexp.MustCompile(
		`postgres(?:ql)?://[^:@/\s]+:[^@\s]*[^@x*\s][^@\s]*@`,
	),
	"the address of a secret": regexp.MustCompile(`otpauth://`),
}

// Find returns where the secrets are.
func (s Outputs) Find(secrets map[string]string) (found []string) {
	for where, text := range s {
		for name, secret := range secrets {
			if strings.Contains(text, secret) {
				found = append(found, s.around(name, where, secret))
			}
		}
	}
	return found
}

func (s Outputs) around(name, where, secret string) string {
	before, _, _ := strings.Cut(s[where], secret)
	return fmt.Sprintf("%s is in %s: …%s%s…", name, where, before[max(0, len(before)-200):], secret)
}

// RequireNoSecrets requires that no output has one of the secrets or anything of the shape of one.
func (s Outputs) RequireNoSecrets(t *testing.T, secrets map[string]string) {
	t.Helper()
	for name, secret := range secrets {
		require.Greater(t, len(secret), 12, name)
	}
	for where, text := range s {
		require.NotEmpty(t, text, where)
	}
	require.Empty(t, s.Find(secrets))
	for where, text := range s {
		for name, shape := range secretShapes {
			if secret := shape.FindString(text); secret != "" {
				t.Error(s.around(name, where, secret))
			}
		}
	}
}

// Dump returns a table as text.
func Dump(t *testing.T, d *AdminDB, table string) string {
	t.Helper()
	rows, err := d.Query(context.Background(),
		`select t::text from `+pgx.Identifier{table}.Sanitize()+` t`)
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}
