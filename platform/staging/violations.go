package staging

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Violation is a staged row that violates a rule.
type Violation struct {
	Line         int64
	Field, Value string
	Expected     string
}

// Violations returns the first violations of each rule by line, at most limit of each.
func (s *Stage) Violations(ctx context.Context, rules []Rule, limit int) ([]Violation, error) {
	var all []Violation
	for _, rule := range rules {
		if rule.Table.rows == 0 {
			continue
		}
		found, err := s.violations(ctx, rule, limit)
		if err != nil {
			return nil, fmt.Errorf("check %s of %s: %w", rule.Name, rule.Table.kind.Staged(), err)
		}
		all = append(all, found...)
	}
	return all, nil
}

func (s *Stage) violations(ctx context.Context, rule Rule, limit int) ([]Violation, error) {
	rows, err := s.tx.Query(ctx, fmt.Sprintf(
		"/* staging.violations.%s.%s */ select line, field, value from (\n%s\n) v (line, field, "+
			"value) order by line, field limit %d",
		rule.Table.kind.Staged(), rule.Name, rule.Query, limit))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Violation, error) {
		v := Violation{Expected: rule.Expected}
		err := row.Scan(&v.Line, &v.Field, &v.Value)
		return v, err
	})
}
