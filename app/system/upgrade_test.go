package system

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"dg/app/apptest"
	"dg/platform/embeddedpg"
)

// formerAnswers are the answers of the former program that made testdata/upgrade/database.sql, with
// the credentials. The newest migration was 20261121000900. The database holds two organisations,
// an admin with two-step verification who is signed in, a usable and a revoked key with their
// windows, 603 plays with sealed days and months and a mark on one of each, and seven audit
// entries.
type formerAnswers struct {
	Key, RevokedKey, Session, Organisation, Fork, Query, ETag string
	Forks, Stats                                              json.RawMessage
	PlaysSHA256, AuditLog                                     string
	Tables                                                    map[string]int
}

func readFormerAnswers(t *testing.T) formerAnswers {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "upgrade", "answers.json"))
	require.NoError(t, err)
	var a formerAnswers
	require.NoError(t, json.Unmarshal(text, &a))
	return a
}

// restoreFormer restores the former database into the folder, and makes its session current.
func restoreFormer(t *testing.T, dir string) *apptest.AdminDB {
	t.Helper()
	dump, err := os.ReadFile(filepath.Join("testdata", "upgrade", "database.sql"))
	require.NoError(t, err)
	server, err := embeddedpg.Start(t.Context(), dir, embeddedpg.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Stop(context.Background())) }()
	conn, err := pgx.Connect(t.Context(), apptest.AsSuperuser(t, server.URL()))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.PgConn().Exec(t.Context(), string(dump)).ReadAll()
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(),
		`update public.sessions set created_at = now(), last_used_at = now(), expires_at = now() + interval '12 h'`)
	require.NoError(t, err)
	return apptest.OpenAdminDB(t, dir)
}

// A former database is migrated: its key gets the same figures, its session stays signed in, its
// audit log is complete, its segments verify, and its ETags are stale.
func TestFormerDatabaseIsUpgraded(t *testing.T) {
	t.Parallel()
	former := readFormerAnswers(t)
	dir := apptest.NewFolder(t)
	d := restoreFormer(t, dir)
	require.Equal(t, 1, apptest.Read[int](t, d, "select count(*) from unsealed_days"),
		"a day that was sealed and written to since")
	c := apptest.ServeOn(t, dir)
	for _, table := range []string{"organisations", "users", "memberships", "players",
		"player_groups", "group_members", "games",
		"forks", "plays", "api_keys", "sessions", "audit_entries"} {
		require.Equal(t, former.Tables[table],
			apptest.Read[int](t, d, "select count(*) from "+table), table)
	}
	answer := c.Get("/api/v1/forks", former.Key, "If-None-Match", former.ETag)
	require.Equal(t, http.StatusOK, answer.Status,
		"an ETag of before says nothing: history may have been lost since")
	require.JSONEq(t, string(former.Forks), answer.Body)
	answer = c.Get("/api/v1/forks", former.Key, "If-None-Match", answer.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, answer.Status)
	require.JSONEq(t, string(former.Stats), c.Fetch(former.Fork+"/stats"+former.Query, former.Key))
	require.Equal(t, former.PlaysSHA256,
		formerSum(c.Fetch(former.Fork+"/exports/csv"+former.Query, former.Key)))
	require.False(t, c.Accepts(former.RevokedKey))
	require.Equal(t, 2,
		apptest.Read[int](t, d, "select count(*) from audit_entries where reason = 'revoked'"),
		"one of before, one of now")
	session := []string{"Cookie", "__Host-dg=" + former.Session, "Sec-Fetch-Site", "same-origin"}
	log := c.Fetch("/o/"+former.Organisation+"/settings/audit-log.csv", "", session...)
	require.Subset(t, csvRows(t, log), csvRows(t, former.AuditLog), "signed in still")
	require.NotContains(t, apptest.Succeeds(t, dir, "segments", "verify"), "Nothing is sealed")
}

// playerKeyCells finds the cells of a column that is new since then. The rows have no quotes.
var playerKeyCells = regexp.MustCompile(`(?m)^((?:[^,\n]*,){3})[^,\n]*,`)

// formerSum is the checksum of a file without the new column.
func formerSum(plays string) string {
	if strings.HasPrefix(plays, "playId,forkId,releaseNumber,playerKey,") {
		plays = playerKeyCells.ReplaceAllString(plays, "$1")
	}
	sum := sha256.Sum256([]byte(plays))
	return hex.EncodeToString(sum[:])
}

// csvRows are the rows of a file, each as one text.
func csvRows(t *testing.T, text string) []string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(records), 1)
	rows := make([]string, len(records))
	for i, r := range records {
		rows[i] = strings.Join(r, "|")
	}
	return rows
}
