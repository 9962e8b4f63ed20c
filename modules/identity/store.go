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
	ID             string
	Email          string
	Name           string
	PasswordHash   *string
	PasswordSince  *time.Time
	TOTPSecret     *string // as stored: it may be encrypted
	TOTPSince      *time.Time
	TOTPLastStep   *int64
	WrongCodes     int
	CodeWaits      int
	CodesWaitUntil *time.Time
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

func (r userRow) credentials() credentials {
	return credentials{Person: r.person(), passwordHash: r.PasswordHash}
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
	AuthenticatedAt *time.Time `gorm:"default:now()"`
	User            userRow
}

func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) session(token string) Session {
	return Session{
		Person:        r.User.person(),
		Token:         token,
		StartedAt:     r.CreatedAt,
		SecondStepDue: r.SecondStepDue,
	}
}

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

// ofPeople is the scope of this package's statements in SQL.
var ofPeople = tenant.Across("people belong to no organisation")

// clock returns the current time as it is stored: UTC, in milliseconds.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

func (s *Service) gorm(ctx context.Context) *gorm.DB { return s.db.Gorm.WithContext(ctx) }

func (s *Service) inTransaction(ctx context.Context, fn func(tx transaction) error) error {
	return s.gorm(ctx).Transaction(fn)
}

// noRow returns missing if the query found no row, and wraps any other error with the action's
// name.
func noRow(err, missing error, what string) error {
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		return missing
	case err != nil:
		return fmt.Errorf("identity: %s: %w", what, err)
	}
	return nil
}

// deleteExcess removes a person's rows beyond the first so many in the order. It skips rows that
// another transaction has locked.
func deleteExcess(tx transaction, row any, personID, order string, kept int) error {
	excess := tx.Model(row).Select("token_hash").Where("user_id = ?", personID).Order(order).
		Offset(kept).Clauses(skipLocked)
	err := tx.Scopes(postgres.Tag("identity.deleteExcess")).Where("token_hash in (?)", excess).
		Delete(row).Error
	return apperr.Annotate(err, "identity: delete excess rows")
}

// skipLocked skips rows that another transaction has locked. lockUser locks the row of the joined
// person, as every change of a person does.
var (
	skipLocked = clause.Locking{
		Strength: clause.LockingStrengthUpdate,
		Options:  clause.LockingOptionsSkipLocked,
	}
	lockUser = clause.Locking{Strength: "NO KEY UPDATE", Table: clause.Table{Name: "User"}}
)

// valueOf is zero where the column is null.
func valueOf[T any](pointer *T) (value T) {
	if pointer != nil {
		value = *pointer
	}
	return value
}
