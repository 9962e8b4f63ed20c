package audit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/platform/testkit"
)

const (
	ours   = "00000000-0000-4000-8000-00000000000a"
	theirs = "00000000-0000-4000-8000-00000000000b"
)

type bundle struct {
	*testkit.World
	log *audit.Log
}

func setup(t *testing.T) bundle {
	t.Parallel()
	db := testkit.New(t)
	for _, id := range []string{ours, theirs} {
		db.Organisation(testkit.Organisation{ID: id})
	}
	return bundle{World: db, log: audit.New(db.DB)}
}

func (b bundle) list(t *testing.T, organisation string, p audit.Page) []audit.Entry {
	entries, err := b.log.List(t.Context(), organisation, p)
	require.NoError(t, err)
	return entries
}

func (b bundle) clock(t *testing.T) time.Time {
	return testkit.One[time.Time](b.World, `select date_trunc('milliseconds', clock_timestamp())`)
}

func entry(organisation string) audit.Entry {
	return audit.Entry{
		OrganisationID: organisation,
		Actor:          audit.Actor{Kind: audit.Key, ID: "k-1", Name: "Entrepôt <b>'\";--"},
		Action:         audit.KeyRefused,
		Target:         audit.Target{Kind: "fork", ID: "f-1"},
		Reason:         audit.OtherOrganisation,
		Details:        map[string]any{"rows": 12.0, "nominative": true, "odd": "\u2028😀"},
		Request: audit.Request{
			Method:    "GET",
			Path:      "/api/v1/forks/f-1",
			Address:   "2001:db8::7",
			UserAgent: "bi/1.0",
			ID:        "request-0001",
		},
	}
}
