package postgres

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errBadURL quotes nothing of the URL: the fault is often inside the password.
var errBadURL = errors.New("the database URL cannot be read: it must look like " +
	"postgres://user:password@host:5432/database, with special characters of the password " +
	"percent-encoded")

// singleAtPattern matches a URL whose only unescaped @ ends the password, or a URL without a user.
// With several @, pgx ends the password at the first. Its errors would then quote the rest of the
// password as a host or database.
var singleAtPattern = regexp.MustCompile(`(?s)^\w+://(([^/@]*@)?[^@]*|[^/@?]*/[^@?]*\?.*)$`)

// parseURL parses a URL. Its errors do not quote the URL, which may have a password.
func parseURL(url string) (*pgxpool.Config, error) {
	if !singleAtPattern.MatchString(url) {
		return nil, errBadURL
	}
	config, err := pgxpool.ParseConfig(url)
	parseErr, ok := errors.AsType[*pgconn.ParseConfigError](err)
	if !ok {
		return config, err
	}
	unquoted := *parseErr
	unquoted.ConnString = "postgres://…"
	if strings.Contains(unquoted.Error(), "failed to parse as URL") { // its cause quotes parts of the URL
		return nil, errBadURL
	}
	return nil, fmt.Errorf("the database URL cannot be read: %w", &unquoted)
}
