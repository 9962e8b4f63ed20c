package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/migrations"
)

var (
	// schemaStatementPattern matches a statement that creates or drops an index or a trigger.
	schemaStatementPattern = regexp.MustCompile(`(?m)^(create|drop) (?:constraint )?(index|trigger) (\w+)[^;]*`)
	enableAlwaysPattern    = regexp.MustCompile(`enable always trigger (\w+)`)
	onTablePattern         = regexp.MustCompile(` on (\w+)`)
)

// repairs renew the data that a missing trigger has left stale. The other triggers refuse or
// complete a row, so their data needs no repair.
var repairs = []struct{ triggerPrefix, command string }{
	{"fork_", renewOrganisationsSQL},
	{"organisation_version", renewOrganisationsSQL},
	{"player_version", "update player_ordinals set version = uuid_hash_extended(gen_random_uuid(), 0)"},
	{"users_end_sessions", "delete from sessions; delete from account_resets"},
	{"users_void_recovery_codes", "delete from recovery_codes"},
	{"unseal_", "dg segments rebuild"},
}

const renewOrganisationsSQL = "update organisations set version = uuid_hash_extended(gen_random_uuid(), 0)"

// checkSchema compares version, keys, indexes and triggers of the schema with the migrations.
func checkSchema(ctx context.Context, s *Installation) (warnings []string, _ error) {
	warnings, err := s.query(ctx, s.db.Pool, "schema")
	if err != nil || len(warnings) > 0 { // a newer schema has other objects
		return warnings, err
	}
	rows, _ := s.db.Pool.Query(ctx, `/* doctor.objects */ select relname, indisvalid, false
		from pg_index join pg_class on pg_class.oid = indexrelid
		where relnamespace = 'public'::regnamespace
		union all select tgname, tgenabled in ('O', 'A'), tgenabled = 'A'
		from pg_trigger join pg_class on pg_class.oid = tgrelid
		where relnamespace = 'public'::regnamespace and not tgisinternal`)
	existing := map[string]schemaObject{}
	var name string
	var object schemaObject
	if _, err := pgx.ForEachRow(rows, []any{&name, &object.isActive, &object.firesAlways}, func() error {
		existing[name] = object
		return nil
	}); err != nil {
		return nil, err
	}
	_, missingKeys := s.query(ctx, s.db.Pool, "constraints")
	warnings, err = compareObjects(existing)
	return warnings, errors.Join(missingKeys, err)
}

// fixOf returns the statement that creates or repairs an index or a trigger.
func fixOf(name string, match []string, exists, firesAlways bool) string {
	create := strings.Join(strings.Fields(match[0]), " ")
	enable := fmt.Sprintf("alter table %s enable trigger %s", onTablePattern.FindStringSubmatch(create)[1], name)
	if firesAlways {
		enable = strings.Replace(enable, "enable", "enable always", 1)
	}
	switch isIndex := match[2] == "index"; {
	case exists && isIndex:
		return "reindex index concurrently " + name
	case isIndex: // CONCURRENTLY does not block writes
		return strings.Replace(create, "create index", "create index concurrently", 1)
	case exists:
		return enable
	case firesAlways:
		return create + "; " + enable
	}
	return create
}

type schemaObject struct {
	isActive    bool // whether an index is valid or a trigger is enabled
	firesAlways bool // whether a trigger also fires during replication
}

// compareObjects warns of missing or invalid indexes, and fails for missing or disabled triggers.
func compareObjects(existing map[string]schemaObject) (warnings []string, failures error) {
	statements := map[string][]string{} // submatches of schemaStatementPattern by name
	script := migrationScript()
	for _, match := range schemaStatementPattern.FindAllStringSubmatch(script, -1) {
		if match[1] == "create" {
			statements[match[3]] = match
		} else {
			delete(statements, match[3])
		}
	}
	alwaysEnabled := map[string]bool{}
	for _, match := range enableAlwaysPattern.FindAllStringSubmatch(script, -1) {
		alwaysEnabled[match[1]] = true
	}
	var brokenTriggers []string // their names
	for _, name := range slices.Sorted(maps.Keys(statements)) {
		object, exists := existing[name]
		if object.isActive && (object.firesAlways || !alwaysEnabled[name]) {
			continue
		}
		kind := statements[name][2]
		fix := fixOf(name, statements[name], exists, alwaysEnabled[name])
		message := fmt.Sprintf("the %s %s is missing, disabled or invalid: run as the owner of the tables: %s",
			kind, name, fix)
		if kind == "index" {
			warnings = append(warnings, message)
			continue
		}
		failures = errors.Join(failures, errors.New(message))
		brokenTriggers = append(brokenTriggers, name)
	}
	var commands []string
	for _, r := range repairs {
		if slices.ContainsFunc(brokenTriggers, func(s string) bool { return strings.HasPrefix(s, r.triggerPrefix) }) {
			commands = append(commands, r.command)
		}
	}
	if commands != nil {
		failures = errors.Join(failures, fmt.Errorf("then renew what these triggers keep, because changes "+
			"without them left it stale: %s", strings.Join(slices.Compact(commands), "; ")))
	}
	return warnings, failures
}

// migrationScript returns the text of all migrations in order, and that of the grants.
func migrationScript() string {
	var script strings.Builder
	grants, _ := fs.Glob(migrations.FS, "grants/*.sql")
	for _, file := range slices.Concat(migrationFiles(), grants) {
		text, _ := fs.ReadFile(migrations.FS, file) // embedded: cannot fail
		script.Write(text)
	}
	return script.String()
}

// migrationFiles returns the names of the migrations in order. Their numbers are 1, 2, 3 …
func migrationFiles() []string {
	files, _ := fs.Glob(migrations.FS, "*.sql")
	number := func(file string) (n int) {
		_, _ = fmt.Sscanf(file, "%d_", &n)
		return n
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return files
}
