package reports

import (
	"context"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

const membersSQL = `/* reports.members */
select player from group_members where org_id = @org and group_id = @group` + byPlayer

// members is a set of players, indexed by ordinal: ordinals are small and dense.
type members []bool

func (m members) has(ordinal int32) bool { return int(ordinal) < len(m) && m[ordinal] }

func (s *snapshot) readMembers(ctx context.Context) error {
	rows := s.rows(ctx, membersSQL, nil)
	ordinals, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil || len(ordinals) == 0 {
		return apperr.Annotate(err, "reports: members")
	}
	s.members = make(members, ordinals[len(ordinals)-1]+1) // by player
	for _, ordinal := range ordinals {
		s.members[ordinal] = true
	}
	return nil
}
