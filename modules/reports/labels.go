package reports

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A player's label is the display name under nominative reporting, otherwise the pseudonym (decisions, "Figures").
// $1 organisation, $2 whether the mode is nominative, $3 which players: ordinals, or a group.
const (
	labelSQL        = `/* reports.labels */ select ordinal, case when $2 then display_name else label end from players where org_id = $1`
	labelOfOrdinals = labelSQL + ` and ordinal = any($3)`
	labelOfGroup    = labelSQL + ` and ordinal in (select player from group_members where org_id = $1 and group_id = $3)`
)

// labelsOf returns the labels of the players with the ordinals.
func (s *snapshot) labelsOf(ctx context.Context, ordinals []int32) (map[int32]string, error) {
	if len(ordinals) == 0 {
		return nil, nil
	}
	return s.queryLabels(ctx, labelOfOrdinals, s.query.OrganisationID, s.scope.nominative, ordinals)
}

// labels returns the labels of all players whom the report may name.
func (s *snapshot) labels(ctx context.Context) (map[int32]string, error) {
	if s.scope.grouped {
		return s.queryLabels(ctx, labelOfGroup, s.query.OrganisationID, s.scope.nominative, s.query.GroupID)
	}
	return s.queryLabels(ctx, labelSQL, s.query.OrganisationID, s.scope.nominative)
}

func (s *snapshot) queryLabels(ctx context.Context, sql string, args ...any) (map[int32]string, error) {
	rows, err := s.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("reports: labels: %w", err)
	}
	labels := make(map[int32]string)
	var ordinal int32
	var label string
	_, err = pgx.ForEachRow(rows, []any{&ordinal, &label}, func() error {
		labels[ordinal] = label
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reports: labels: %w", err)
	}
	return labels, nil
}
