package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// members are the players of a large group. In any other report everybody is one, since it reads
// the plays of its players alone.
type members struct {
	snap     *snapshot
	large    bool // the report is on a large group
	ordinals ordinalSet
}

func newMembers(s *snapshot) *members { return &members{snap: s, large: s.meta.largeGroup} }

// queue reads the members of a large group. It comes before what asks has.
func (m *members) queue(batch *pgx.Batch) {
	if !m.large {
		return
	}
	q := m.snap.query
	batch.Queue(`/* reports.members */ select player from group_members where org_id = $1 and group_id = $2`+
		byPlayer,
		q.OrganisationID, q.GroupID).Query(func(rows pgx.Rows) error {
		var ordinal int32
		if _, err := pgx.ForEachRow(rows, []any{&ordinal}, func() error {
			m.ordinals.add(ordinal)
			return nil
		}); err != nil {
			return fmt.Errorf("reports: members: %w", err)
		}
		return nil
	})
}

// read is queue in a round trip of its own.
func (m *members) read(ctx context.Context) error {
	if !m.large {
		return nil
	}
	batch := &pgx.Batch{}
	m.queue(batch)
	return m.snap.send(ctx, batch)
}

// has reports whether a play that was read is one of the report.
func (m *members) has(player int32) bool { return !m.large || m.ordinals.has(player) }

// ordinalSet is a set of players: ordinals are small and dense.
type ordinalSet []bool

func (s *ordinalSet) add(ordinal int32) {
	if n := int(ordinal) + 1; n > len(*s) {
		*s = append(*s, make([]bool, n-len(*s))...)
	}
	(*s)[ordinal] = true
}

func (s ordinalSet) has(ordinal int32) bool { return int(ordinal) < len(s) && s[ordinal] }
