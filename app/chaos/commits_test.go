package chaos

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// counterTables have counters and times of last use. They may change although the request fails.
var counterTables = []string{"api_key_windows", "api_key_usage", "password_guesses"}

// failCommitSQL makes the n-th commit fail that writes any other table. A sequence counts transactions, because it is
// not rolled back. The end of an export does not count: it is recorded in the background, sometimes after the next
// request has begun.
const failCommitSQL = `create sequence commits;
	create table failing (n bigint);
	create function fail_commit() returns trigger language plpgsql security definer as $$ begin
		if to_jsonb(new) ->> 'action' = 'export.finished' then
			return null;
		end if;
		if current_setting('dg.counted', true) is distinct from txid_current()::text then
			perform set_config('dg.counted', txid_current()::text, false);
			if nextval('commits') = (select n from failing) then
				raise 'the commit fails' using errcode = '57014';
			end if;
		end if;
		return null;
	end $$`

// rules.md, Failures: if the commit of a change fails, the request fails and nothing changes: neither the data nor the
// audit log. The test fails each commit of each writing request once.
func TestFailedCommitChangesNothing(t *testing.T) {
	t.Parallel()
	w := newRequestWorld(t, func(url string) string { return url })
	w.admin.Exec(failCommitSQL)
	for _, table := range w.tables {
		if !slices.Contains(counterTables, table) {
			w.admin.Exec(fmt.Sprintf(`create constraint trigger fails after insert or update or delete
				on public.%s deferrable initially deferred for each row execute function fail_commit()`, table))
		}
	}
	failed := 0
	for _, s := range w.requests(endpointTable(t) + apiTable + formTable) {
		for n := 1; ; n++ {
			w.restoreTables()
			before := w.checksums()
			w.admin.Exec(`truncate failing; alter sequence commits restart`)
			w.admin.Exec(`insert into failing values ($1)`, n)
			status := w.send(s)
			w.idle()
			if testkit.One[int64](w.admin, `select last_value from commits`) < int64(n) {
				require.Equal(t, s.want, status, s)
				break
			}
			failed++
			if status == http.StatusServiceUnavailable {
				require.Equal(t, before, w.checksums(), "%s: commit %d failed", s, n)
			} else {
				require.Equal(t, s.want, status, "%s: commit %d failed", s, n)
			}
		}
	}
	require.Greater(t, failed, 30)
}

// checksums returns a checksum of each table that a failed request must not change.
func (w *requestWorld) checksums() string {
	var parts []string
	for _, table := range w.tables {
		if !slices.Contains(counterTables, table) {
			parts = append(parts, fmt.Sprintf(`select '%s ' || md5(string_agg(row, '' order by row)) as row
				from (select (to_jsonb(t) - 'last_used_at' - 'expires_at')::text as row from public.%[1]s t
				where to_jsonb(t) ->> 'action' is distinct from 'export.finished') r`, table))
		}
	}
	return testkit.One[string](w.admin,
		`select string_agg(row, E'\n' order by row) from (`+strings.Join(parts, " union all ")+`) t`)
}
