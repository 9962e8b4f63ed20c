package postgres

import (
	"errors"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// errBadURL quotes nothing of the URL: the fault is often inside the password.
var errBadURL = errors.New("the database URL cannot be read: it must look like " +
	"postgres://user:password@host:5432/database, with special characters of the password " +
	"percent-encoded")

// oneAt matches a URL whose only unescaped @ ends the password. It also matches one without a user,
// whose query parameters may contain @. With several @, pgx takes the first as the end of the
// password, and its errors would quote the rest as a host or database.
var oneAt = regexp.MustCompile(`(?s)^\w+://(([^/@]*@)?[^@]*|[^/@?]*/[^@?]*\?.*)$`)

// parseURL quotes only the option or file at fault in its errors: the rest may be a password.
func parseURL(url string) (*pgxpool.Config, error) {
	if !oneAt.MatchString(url) {
		return nil, errBadURL
	}
	config, err := pgxpool.ParseConfig(url)
	if err == nil {
		return config, nil
	}
	text := err.Error()
	fault := text[strings.LastIndex(text, "`: ")+len("`: "):] // pgx quotes the URL before this mark
	if strings.Contains(text, "`: failed to parse") {
		return nil, errBadURL
	}
	if fault == "invalid port" {
		fault += ", or special characters of the password that are not percent-encoded"
	}
	return nil, errors.New("the database URL cannot be read: " + fault)
}
