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
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"dg/migrations"
)

var (
	// statement matches the creation of an index or trigger, or its end.
	statement = regexp.MustCompile(`(?m)^(create|drop) (?:constraint )?(index|trigger) (\w+)[^;]*`)
	always    = regexp.MustCompile(`enable always trigger (\w+)`)
)

// checkSchema compares the schema's version, and then its indexes and triggers, with this program's.
func checkSchema(ctx context.Context, s *Installation) (warnings []string, _ error) {
	warnings, err := s.query(ctx, s.db, "schema")
	if err != nil {
		return warnings, err
	}
	rows, _ := s.db.Pool.Query(ctx, `/* doctor.objects */ select relname, relname, indisvalid
		from pg_index join pg_class on pg_class.oid = indexrelid
		where relnamespace = 'public'::regnamespace
		union all select tgname, relname, tgenabled in ('O', 'A')
		from pg_trigger join pg_class on pg_class.oid = tgrelid
		where relnamespace = 'public'::regnamespace and not tgisinternal
		union all select '', '', max(version_id) <= $1 from dg_schema_versions where is_applied`,
		len(versions()))
	found := map[string]object{}
	var name string
	var is object
	if _, err := pgx.ForEachRow(rows, []any{&name, &is.table, &is.works}, func() error {
		found[name] = is
		return nil
	}); err != nil {
		return nil, err
	}
	if !found[""].works { // newer than this program, which does not know its objects
		return nil, nil
	}
	return compareObjects(found)
}

// object is an index or a trigger in the database.
type object struct {
	table string
	works bool // is neither invalid nor disabled
}

// compareObjects warns of indexes, and fails for triggers, that are missing or do not work.
func compareObjects(found map[string]object) (warnings []string, failures error) {
	created := map[string][]string{} // the parts of the statement
	var script strings.Builder
	for _, file := range versions() {
		text, err := fs.ReadFile(migrations.FS, file)
		if err != nil {
			return nil, err
		}
		script.Write(text)
	}
	for _, parts := range statement.FindAllStringSubmatch(script.String(), -1) {
		if parts[1] == "create" {
			created[parts[3]] = parts
		} else {
			delete(created, parts[3])
		}
	}
	enabled := always.FindAllStringSubmatch(script.String(), -1)
	for _, name := range slices.Sorted(maps.Keys(created)) {
		is, exists := found[name]
		kind := created[name][2]
		fix := strings.Join(strings.Fields(created[name][0]), " ")
		switch {
		case is.works:
			continue
		case exists && kind == "index":
			fix = "reindex index concurrently " + name
		case exists && slices.ContainsFunc(enabled, func(a []string) bool { return a[1] == name }):
			fix = fmt.Sprintf("alter table %s enable always trigger %s", is.table, name)
		case exists:
			fix = fmt.Sprintf("alter table %s enable trigger %s", is.table, name)
		}
		says := fmt.Sprintf("the %s %s is missing, disabled or invalid: run as the owner of the tables: %s",
			kind, name, fix)
		if kind == "index" {
			warnings = append(warnings, says)
		} else {
			failures = errors.Join(failures, errors.New(says))
		}
	}
	return warnings, failures
}

// versions returns the migrations in their order. They count from 1 without gaps.
func versions() []string {
	files, _ := fs.Glob(migrations.FS, "*.sql")
	number := func(file string) int {
		n, _, _ := strings.Cut(file, "_")
		of, _ := strconv.Atoi(n)
		return of
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Compare(number(a), number(b)) })
	return files
}
