package apptest

import (
	"bufio"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/testkit"
)

// ExportServer is a dg that serves one large fork.
type ExportServer struct {
	*Child
	*testkit.World
	ExportPath string // path of an export of all plays
	Plays      int
	Token      string
	MoreTokens []string
}

// StartExportServer stores a fork with the plays, seals them, and starts dg serve.
func StartExportServer(t *testing.T, db *testkit.World, plays int, args ...string) *ExportServer {
	fork := db.AddFork(testkit.Fork{OrganisationID: db.AddOrganisation(testkit.Organisation{}).ID})
	db.AddPlayers(fork.OrganisationID, 500)
	db.AddPlays(fork, plays, fork.CreatedAt, time.Second)
	// Statistics give the export its usual plan. Sealed segments leave no work for the sealer.
	db.Exec(`analyze`)
	RequireExit(t, 0, []string{"segments", "rebuild", "--database-url", db.OwnerURL,
		"--migrate-database-url", db.OwnerURL})
	e := &ExportServer{
		ExportPath: "/api/v1/forks/" + fork.ID + "/exports/csv?from=2026-01-01&to=2026-12-31",
		Plays:      plays,
		Child:      ServeWith(t, args...),
		World:      OpenAdminDBAt(t, db.URL),
		Token:      db.AddKey(fork.OrganisationID).Token(),
	}
	for range 4 {
		e.MoreTokens = append(e.MoreTokens, db.AddKey(fork.OrganisationID).Token())
	}
	return e
}

func (e *ExportServer) BeginExport(t *testing.T, requestID string, headers ...string) (*http.Response, *bufio.Reader) {
	headers = append(headers, "X-Request-Id", requestID)
	response := Get(t, SmallWindowClient(), e.ListenURL+e.ExportPath, e.Token, headers...)
	require.Equal(t, http.StatusOK, response.StatusCode)
	body := bufio.NewReaderSize(response.Body, 4<<10)
	_, err := body.Peek(1)
	require.NoError(t, err)
	return response, body
}
