package reports

import (
	"context"
	"encoding/binary"

	"github.com/jackc/pgx/v5"

	"dg/platform/apperr"
)

const membersSQL = `/* reports.members */
select player from group_members where org_id = @org and group_id = @group` + byPlayer

// members is a set of players, indexed by ordinal: ordinals are small and dense.
type members []bool

func (m members) has(ordinal int32) bool { return int(ordinal) < len(m) && m[ordinal] }

func (s *snapshot) readMembers(ctx context.Context) error {
	rows, _ := s.conn.Query(ctx, membersSQL, s.args) // rows.Err returns its error
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

const (
	allLabelsSQL = `/* reports.labels */
select ordinal, case when @mode = 'nominative' then display_name else label end
  from players where org_id = @org`
	labelsOfPlayersSQL = allLabelsSQL + ` and ordinal = any(@players)`
)

// labels has the label of each player by ordinal, "" for players that were not read.
type labels []string

// readLabels takes ascending ordinals. It may return the labels of other players too.
func (s *snapshot) readLabels(ctx context.Context, players []int32) (labels, error) {
	if len(players) == 0 {
		return nil, nil
	}
	last := int(players[len(players)-1])
	rows, _ := s.conn.Query(ctx, s.labelsSQL(players), s.args) // rows.Err returns its error
	defer rows.Close()
	all := make(labels, last+1)
	for rows.Next() {
		v := rows.RawValues()
		if ordinal := int(binary.BigEndian.Uint32(v[0])); ordinal <= last {
			all[ordinal] = string(v[1])
		}
	}
	return all, apperr.Annotate(rows.Err(), "reports: labels")
}

// labelsSQL returns a query of all labels where that is faster: for many players with dense ordinals.
func (s *snapshot) labelsSQL(players []int32) string {
	s.args["mode"] = string(s.ReportingMode)
	s.args["players"] = players
	if len(players) > 1000 && int(players[len(players)-1]) < 8*len(players) {
		return allLabelsSQL
	}
	return labelsOfPlayersSQL
}
