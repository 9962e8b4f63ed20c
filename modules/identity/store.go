package identity

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

type sessionRow struct {
	TokenHash     []byte `gorm:"primaryKey"`
	UserID        string
	CreatedAt     time.Time
	LastUsedAt    time.Time
	ExpiresAt     time.Time
	SecondStepDue bool
	TOTPOffer     *string // the stored form, which may be encrypted
	// when the password was last entered, by the database's clock; an insert of nil stores now
	AuthenticatedAt *time.Time        `gorm:"default:now()"`
	Fresh           bool              `gorm:"->"` // whether the password was entered within reauthenticationTTL
	Position        postgres.Position `gorm:"->;type:text"`
	User            userRow
}

func (sessionRow) TableName() string { return "sessions" }

type recoveryRow struct {
	UserID   string `gorm:"primaryKey"`
	CodeHash []byte `gorm:"primaryKey"`
}

func (recoveryRow) TableName() string { return "recovery_codes" }

type resetRow struct {
	UserID    string `gorm:"primaryKey"`
	TokenHash []byte
	ExpiresAt time.Time
	User      userRow
}

func (resetRow) TableName() string { return "account_resets" }

// transaction is a gorm handle of a transaction or of the pool. Only files store*.go may import gorm.
type transaction = *gorm.DB

func (s *Service) gorm(ctx context.Context) *gorm.DB { return s.db.Gorm.WithContext(ctx) }

var acrossOrganisations = tenant.Across("people belong to no organisation")

// Changes of credentials lock the person's row, with lockRow, or with lockUser in a join. lockShare
// waits for them.
var (
	upsert     = clause.OnConflict{UpdateAll: true}
	lockRow    = clause.Locking{Strength: "NO KEY UPDATE"}
	lockUser   = clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: "User"}}
	lockShare  = clause.Locking{Strength: clause.LockingStrengthShare}
	lockUpdate = clause.Locking{Strength: clause.LockingStrengthUpdate}
	skipLocked = clause.Locking{
		Strength: clause.LockingStrengthUpdate,
		Options:  clause.LockingOptionsSkipLocked,
	}
)

var sqlNow = gorm.Expr("now()")

func takeRow[T any](
	db *gorm.DB, tag string, missing error, where string, args ...any,
) (row T, err error) {
	err = db.Scopes(postgres.Tag(tag)).Where(where, args...).Take(&row).Error
	return row, postgres.OrMissing(err, tag, missing)
}

func insertRows(tx transaction, tag string, rows any) error {
	return apperr.Annotate(tx.Scopes(postgres.Tag(tag)).Create(rows).Error, tag)
}

func updateRows(
	db transaction, tag string, row any, columns map[string]any, where string, args ...any,
) (changed int64, err error) {
	result := db.Scopes(postgres.Tag(tag)).Model(row).Where(where, args...).Updates(columns)
	return result.RowsAffected, apperr.Annotate(result.Error, tag)
}

func updateUser(tx transaction, tag, personID string, columns map[string]any) error {
	_, err := updateRows(tx, tag, &userRow{}, columns, "id = ?", personID)
	return err
}

// deleteRows returns missing, which may be nil, if it deletes no row.
func deleteRows(
	db *gorm.DB, tag string, missing error, row any, where string, args ...any,
) error {
	result := db.Scopes(postgres.Tag(tag)).Where(where, args...).Delete(row)
	if result.Error == nil && result.RowsAffected == 0 {
		return missing
	}
	return apperr.Annotate(result.Error, tag)
}

// maxSweptRows bounds the rows of a table that one sweep deletes, so that a sign-in stays fast. A
// sign-in adds fewer rows, so that no backlog grows.
const maxSweptRows = 1000

// sweep deletes expired sessions and counts of wrong attempts.
func sweep(db transaction, now time.Time) error {
	if err := sweepTable(db, &sessionRow{}, "token_hash", "expires_at", now); err != nil {
		return err
	}
	return sweepTable(db, &guessRow{}, "key_hash", "ends_at", now)
}

func sweepTable(db transaction, row any, keyColumn, endColumn string, now time.Time) error {
	expired := db.Model(row).Select(keyColumn).Where(endColumn+" <= ?", now).Limit(maxSweptRows).
		Clauses(skipLocked)
	return deleteRows(db, "identity.sweep", nil, row, keyColumn+" in (?)", expired)
}
