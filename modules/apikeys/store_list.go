package apikeys

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
)

var errKeyNotFound = apperr.New(apperr.NotFound, "No such key.")

// list returns the usable keys and the newest of the others, newest first.
func (r *Reader) list(ctx context.Context, organisationID string, now time.Time) ([]Key, error) {
	var rows []keyRow
	err := keys(r.db.Gorm.WithContext(ctx), "apikeys.list", organisationID).
		Order(clause.OrderBy{
			Expression: clause.NamedExpr{
				SQL:  usableAt + " desc, created_at desc, id",
				Vars: []any{at(now)},
			},
		}).
		Limit(MaxListed).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: list: %w", err)
	}
	slices.SortFunc(rows, func(a, b keyRow) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(a.ID, b.ID))
	})
	return toKeys(rows), nil
}

// readKey reads a key of the organisation. A malformed id is unknown.
// Errors: apperr.NotFound.
func readKey(db *gorm.DB, organisationID, id string) (Key, error) {
	if !IsID(id) {
		return Key{}, errKeyNotFound
	}
	var row keyRow
	err := keys(db, "apikeys.key", organisationID).Where("id = ?", id).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Key{}, errKeyNotFound
	}
	if err != nil {
		return Key{}, fmt.Errorf("apikeys: key: %w", err)
	}
	return row.key(), nil
}

// expiring lists the keys that are neither revoked nor replaced and expire between now and end, the
// soonest first.
func (r *Reader) expiring(
	ctx context.Context, organisationID string, now, end time.Time,
) ([]Key, error) {
	var rows []keyRow
	err := keys(r.db.Gorm.WithContext(ctx), "apikeys.expiring", organisationID).
		Where("revoked_at is null and expires_at > ? and expires_at <= ?", now, end).
		Order("expires_at, id").Limit(MaxUsable).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("apikeys: expiring: %w", err)
	}
	return toKeys(rows), nil
}
