package reports

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// A player's label is the display name under nominative reporting, otherwise the pseudonym. $1 organisation, $2 reporting
// mode, $3 which players: ordinals, or a group.
const (
	labelSQL        = `/* reports.labels */ select ordinal, case $2 when 'nominative' then display_name else label end from players where org_id = $1`
	labelOfOrdinals = labelSQL + ` and ordinal = any($3)`
	labelOfGroup    = labelSQL + ` and ordinal in (select player from group_members where org_id = $1 and group_id = $3)`
)

// labelsOf returns the labels of some players. From an eighth of the organisation's players on it reads all labels: a scan
// is faster than that many look-ups.
func (s *snapshot) labelsOf(ctx context.Context, ordinals []int32) (*labels, error) {
	if len(ordinals) == 0 {
		return &labels{}, nil
	}
	batch := &pgx.Batch{}
	if last := ordinals[len(ordinals)-1]; len(ordinals) > 1000 && int(last) < 8*len(ordinals) {
		l := s.queueLabels(batch)
		return l, s.send(ctx, batch)
	}
	l := &labels{grow: s.growLabels}
	batch.Queue(labelOfOrdinals, s.query.OrganisationID, s.meta.mode, ordinals).Query(l.read)
	return l, s.send(ctx, batch)
}

// exportLabels returns the labels of all players whom the report may name, or nil where they take more than maxExportLabels.
func (s *snapshot) exportLabels(ctx context.Context) (*labels, error) {
	used := s.meta.lastOrdinal * labelHeader
	batch := &pgx.Batch{}
	l := s.queueLabels(batch)
	l.grow = func(bytes int) error {
		if used += bytes; used > maxExportLabels {
			return errTooManyLabels
		}
		return nil
	}
	err := s.send(ctx, batch)
	if errors.Is(err, errTooManyLabels) {
		return nil, nil
	}
	return l, err
}

// queueLabels asks for the labels of all players whom the report may name. They can be used once the batch is read.
func (s *snapshot) queueLabels(batch *pgx.Batch) *labels {
	l := &labels{grow: s.growLabels}
	sql, args := labelSQL, []any{s.query.OrganisationID, s.meta.mode}
	if s.meta.grouped {
		sql, args = labelOfGroup, append(args, s.query.GroupID)
	}
	batch.Queue(sql, args...).Query(l.read)
	return l
}

// read takes ordinals in the binary format, which pgx asks for, and labels, which have only one.
func (l *labels) read(rows pgx.Rows) error {
	defer rows.Close()
	for rows.Next() {
		v := rows.RawValues()
		if err := l.put(int32(binary.BigEndian.Uint32(v[0])), v[1]); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reports: labels: %w", err)
	}
	return nil
}
