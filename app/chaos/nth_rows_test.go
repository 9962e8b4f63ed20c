package chaos

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// keep copies all rows, in memory and in the database.
func (w *nthWorld) keep() {
	rows, err := w.super.Query(w.t.Context(),
		`select tablename::text from pg_tables where schemaname = 'public' order by 1`)
	require.NoError(w.t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	w.super.Do(w.t, `create schema kept`)
	var parts []string
	for _, table := range tables {
		w.super.Do(w.t, fmt.Sprintf(`create table kept.%s as table public.%[1]s`, table))
		row := `to_jsonb(t)::text`
		if table == "plays" { // many, which no request changes
			row = `md5(string_agg(t::text, '' order by id))`
		}
		parts = append(parts, fmt.Sprintf(`select '%s', %s from public.%[1]s t`, table, row))
	}
	w.query = strings.Join(parts, " union all ")
	w.before = w.rows()
	w.after = w.before
}

// rows reads all rows, in order, by table.
func (w *nthWorld) rows() map[string][]string {
	all := map[string][]string{}
	rows, err := w.super.Query(context.Background(), w.query)
	require.NoError(w.t, err)
	var table, row string
	_, err = pgx.ForEachRow(rows, []any{&table, &row}, func() error {
		all[table] = append(all[table], row)
		return nil
	})
	require.NoError(w.t, err)
	for _, rows := range all {
		slices.Sort(rows)
	}
	return all
}

// restore undoes the changes of a case. fresh also gives the organisations new versions, so that no
// cache matches.
func (w *nthWorld) restore(fresh bool) {
	var sql []string
	for table := range mergedKeys(w.before, w.after) {
		left, came := differences(w.before[table], w.after[table])
		if len(came) > 0 {
			sql = append(sql, fmt.Sprintf(`delete from public.%s t
				where not exists (select from kept.%[1]s k where k.* is not distinct from t.*);`,
				table))
		}
		fresh = fresh || table == "organisations" && len(left) > 0 // a trigger draws versions anew
		if len(left) > 0 {
			sql = append(sql,
				fmt.Sprintf(`insert into public.%s overriding system value select k.* from kept.%[1]s k
				where not exists (select from public.%[1]s t where k.* is not distinct from t.*);`,
					table))
		}
	}
	if fresh {
		sql = append(sql, `update organisations set version = 0;
			update kept.organisations k set version = o.version from organisations o where o.id = k.id;`)
	}
	if len(sql) > 0 {
		w.super.Do(w.t,
			`set session_replication_role = replica; `+strings.Join(sql, "\n")+
				` set session_replication_role = origin`)
	}
	if w.restored++; w.restored%50 == 0 {
		w.super.Do(w.t,
			`vacuum organisations, kept.organisations, api_key_windows, audit_entries, sessions, users, api_keys`)
	}
	if fresh {
		w.before = w.rows()
	}
	w.after = w.before
}

// differences returns what only one of two sorted lists has.
func differences(a, b []string) (onlyA, onlyB []string) {
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case 0:
			a = a[1:]
			b = b[1:]
		case -1:
			onlyA = append(onlyA, a[0])
			a = a[1:]
		default:
			onlyB = append(onlyB, b[0])
			b = b[1:]
		}
	}
	return append(onlyA, a...), append(onlyB, b...)
}

func mergedKeys[V any](a, b map[string]V) map[string]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// uses are instants that every request updates: they do not count as changes.
var uses = regexp.MustCompile(`"(last_used_at|expires_at)": ("[^"]*"|null),? ?`)

// counts are tables of counters, which do not count as changes.
var counts = []string{"api_key_windows", "api_key_usage", "password_guesses"}

// changes lists the rows that were removed and added since keep. Equal changes give equal lists.
func (w *nthWorld) changes() []string {
	found := []string{}
	w.after = w.rows()
	for table := range mergedKeys(w.before, w.after) {
		if slices.Contains(counts, table) {
			continue
		}
		left, came := differences(w.before[table], w.after[table])
		left, came = differences(used(left), used(came))
		for _, row := range left {
			found = append(found, "- "+table+" "+masked(row))
		}
		for _, row := range came {
			found = append(found, "+ "+table+" "+masked(row))
		}
	}
	slices.Sort(found)
	return found
}

// used is the rows without the time of their last use.
func used(rows []string) (without []string) {
	for _, row := range rows {
		without = append(without, uses.ReplaceAllString(row, ""))
	}
	slices.Sort(without)
	return without
}

var masks = []*regexp.Regexp{
	regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
	regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d[:.\d]*(Z|\+00:00)?|\d\d:\d\d UTC`),
	regexp.MustCompile(`"(id|totp_last_step|version)": -?\d+`),
	regexp.MustCompile(`\$argon2id\$[^"]*`),
	regexp.MustCompile(`\\x[0-9a-f]+`),
	regexp.MustCompile(`[0-9A-Za-z_-]{20,}`),
	regexp.MustCompile(`\bE?\d{15,}\b`),
	// recovery codes, a new secret
	regexp.MustCompile(`([0-9a-z]{4}-){3}[0-9a-z]{4}|([A-Z2-7]{4} ){7}[A-Z2-7]{4}`),
	regexp.MustCompile(`<svg class="qr".*`),
	regexp.MustCompile(`in \d+ seconds`),
}

// masked replaces what differs from one time to the next: ids, instants, hashes, secrets.
func masked(text string) string {
	for _, mask := range masks {
		text = mask.ReplaceAllString(text, "*")
	}
	return text
}
