package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
	"dg/platform/postgres/tenant"
)

// userRow has the columns that signing in needs. The import writes the others.
type userRow struct {
	ID            string
	Email         string
	Name          string
	PasswordHash  *string
	PasswordSince *time.Time
	TOTPSecret    *string // as stored: it may be encrypted
	TOTPSince     *time.Time
	TOTPLastStep  int64 // of the last code that was accepted
}

func (userRow) TableName() string { return "users" }

func (r userRow) person() Person {
	return Person{
		ID:            r.ID,
		Name:          r.Name,
		Email:         r.Email,
		TwoStep:       r.TOTPSecret != nil,
		TwoStepSince:  r.TOTPSince,
		PasswordSince: r.PasswordSince,
	}
}

type sessionRow struct {
	TokenHash     []byte `gorm:"primaryKey"`
	UserID        string
	CreatedAt     time.Time
	LastUsedAt    time.Time
	ExpiresAt     time.Time
	SecondStepDue bool
	TOTPOffer     *string // as stored: it may be encrypted
	// when the password was entered, by the database's clock; nil in an insert: now
	AuthenticatedAt *time.Time        `gorm:"default:now()"`
	Position        postgres.Position `gorm:"->;type:text"` // no column: see sessions
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

// transaction is the database within a transaction of the caller.
type transaction = *gorm.DB

func (s *Service) gorm(ctx context.Context) *gorm.DB { return s.db.Gorm.WithContext(ctx) }

// ofPeople exempts this package's SQL from the tenant guard.
var ofPeople = tenant.Across("people belong to no organisation")

// Locks and conflicts. Every change of a person locks the person's row: lock, or lockUser where it is
// joined. lockShare waits for such a change. skipLocked skips rows that another transaction has
// locked.
var (
	upsert     = clause.OnConflict{UpdateAll: true}
	lock       = clause.Locking{Strength: "NO KEY UPDATE"}
	lockUser   = clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: "User"}}
	lockShare  = clause.Locking{Strength: clause.LockingStrengthShare}
	skipLocked = clause.Locking{
		Strength: clause.LockingStrengthUpdate,
		Options:  clause.LockingOptionsSkipLocked,
	}
)

// takeRow reads the row that meets the condition, or returns missing if there is none.
func takeRow[T any](
	db *gorm.DB, tag string, missing error, where string, args ...any,
) (row T, err error) {
	err = db.Scopes(postgres.Tag(tag)).Where(where, args...).Take(&row).Error
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return row, missing
	case err != nil:
		return row, fmt.Errorf("%s: %w", tag, err)
	}
	return row, nil
}

func insertRows(tx transaction, tag string, rows any) error {
	return apperr.Annotate(tx.Scopes(postgres.Tag(tag)).Create(rows).Error, tag)
}

// updateUser sets columns of a person.
func updateUser(tx transaction, tag, personID string, columns map[string]any) error {
	err := tx.Scopes(postgres.Tag(tag)).Model(&userRow{}).Where("id = ?", personID).
		Updates(columns).Error
	return apperr.Annotate(err, tag)
}

// deleteRows deletes the rows that meet the condition, and returns how many.
func deleteRows(
	db *gorm.DB, tag string, row any, where string, args ...any,
) (removed int64, err error) {
	deleted := db.Scopes(postgres.Tag(tag)).Where(where, args...).Delete(row)
	return deleted.RowsAffected, apperr.Annotate(deleted.Error, tag)
}
