package snapshot

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

// Members are the players of a large group. Other reports read the plays of their players only: all
// players count as members.
type Members struct {
	snap     *Snapshot
	large    bool // the report is on a large group
	ordinals ordinalSet
}

// NewMembers returns the members of the snapshot's group, which Queue or Read reads.
func NewMembers(s *Snapshot) *Members { return &Members{snap: s, large: s.Meta.LargeGroup} }

// Queue queues the members of a large group, before the statements whose rows call Has.
func (m *Members) Queue(batch *pgx.Batch) {
	if !m.large {
		return
	}
	q := m.snap.Query
	batch.Queue(`/* reports.members */ select player from group_members where org_id = $1 and group_id = $2`+
		ByPlayer,
		q.OrganisationID, q.GroupID).Query(func(rows pgx.Rows) error {
		var ordinal int32
		_, err := pgx.ForEachRow(rows, []any{&ordinal}, func() error {
			m.ordinals.add(ordinal)
			return nil
		})
		return apperr.Annotate(err, "reports: members")
	})
}

// Read reads the members in its own round trip.
func (m *Members) Read(ctx context.Context) error {
	if !m.large {
		return nil
	}
	batch := &pgx.Batch{}
	m.Queue(batch)
	return m.snap.Send(ctx, batch)
}

// Has reports whether the plays of a player belong to the report.
func (m *Members) Has(player int32) bool { return !m.large || m.ordinals.has(player) }

// ordinalSet is a set of players: ordinals are small and dense.
type ordinalSet []bool

func (s *ordinalSet) add(ordinal int32) {
	if n := int(ordinal) + 1; n > len(*s) {
		*s = append(*s, make([]bool, n-len(*s))...)
	}
	(*s)[ordinal] = true
}

func (s ordinalSet) has(ordinal int32) bool { return int(ordinal) < len(s) && s[ordinal] }
