package config

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"dg/platform/input"
	"dg/platform/netaddr"
)

// checks has the rules of the settings' validate tags, and what is said about a setting that breaks
// one. No secret is quoted.
var checks = input.New(map[string]string{
	"excluded_without": "{field} is set and DG_DATABASE_URL is not: set both, or neither for the embedded server",
	"required_if": "DG_DATABASE_POOLER is set and {field} is not: set it to PostgreSQL " +
		"itself, where migrations and imports have a session of their own",
	"replica_urls": "{field} is not a list of at most 8 URLs such as " +
		"postgres://user:password@host:5432/database, separated by spaces or commas",
	"listenable":   "{field} is not an address such as 127.0.0.1:8080: {value}",
	"local":        "{field} {value} is reachable from outside: set DG_BASE_URL to its public https address",
	"base_url":     "{field} is not a URL such as https://dg.example.org: scheme, host and port only",
	"confidential": "{field} must be https, or http on a loopback host such as http://127.0.0.1:8080",
	"network":      `{field}: "{value}" is not a network such as 10.0.0.0/8`,
	"min":          "{field} is {value}: set it to {param} or more",
	"max":          "{field} is {value}: set it to {param} or less",
	"key": "{field} is not a key: set it to 32 random bytes in base64 or hex, such " +
		"as the output of: openssl rand -base64 32",
}, map[string]func(input.Field) bool{
	"replica_urls": input.Text(func(s string) bool {
		_, ok := splitURLs(s)
		return s == "" || ok
	}),
	"listenable": func(f input.Field) bool {
		_, ok := hostOf(f.Field().String())
		return ok || hasBaseURL(f)
	},
	"local": func(f input.Field) bool {
		host, _ := hostOf(f.Field().String())
		return netaddr.IsLoopback(host) || hasBaseURL(f)
	},
	"base_url":     input.Text(isBaseURL),
	"confidential": input.Text(isConfidential),
	"network": input.Text(func(s string) bool {
		_, err := parseNetwork(s)
		return err == nil
	}),
	"key": input.Text(func(s string) bool { return parseKey(s) != nil }),
})

// check returns an error about the first invalid setting, or nil.
func check(settings any) error {
	for _, fault := range checks.Faults(settings) {
		return errors.New(fault.Message)
	}
	return nil
}

// hasBaseURL reports whether the address is given a public URL: it may then be reachable from
// outside.
func hasBaseURL(addr input.Field) bool {
	return addr.Parent().FieldByName("BaseURL").String() != ""
}

func hostOf(addr string) (host string, ok bool) {
	host, _, err := net.SplitHostPort(addr)
	return host, err == nil
}

func isBaseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && u.User == nil && strings.Trim(u.Path, "/") == "" &&
		!strings.ContainsAny(text, "?#")
}

// isConfidential reports whether the URL is https, or http on loopback.
func isConfidential(text string) bool {
	u, err := url.Parse(text)
	return err == nil &&
		(u.Scheme == "https" || u.Scheme == "http" && netaddr.IsLoopback(u.Hostname()))
}

// Private reports whether only this machine reaches the program.
func (a Address) Private() bool {
	host, _ := hostOf(a.Addr)
	public, _ := url.Parse(a.BaseURL)
	return netaddr.IsLoopback(host) &&
		(a.BaseURL == "" || public != nil && netaddr.IsLoopback(public.Hostname()))
}

func parseNetwork(text string) (netip.Prefix, error) {
	return netip.ParsePrefix(strings.TrimSpace(text))
}
