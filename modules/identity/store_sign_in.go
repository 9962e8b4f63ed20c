package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/modules/identity/throttle"
	"dg/platform/apperr"
	"dg/platform/postgres"
)

// credentials returns the credentials of an e-mail. Known and unknown e-mails take one statement.
func (s *Service) credentials(ctx context.Context, email string) (credentials, error) {
	nobody := credentials{Person: Person{Email: email}}
	key := EmailKey(email)
	if !utf8.ValidString(key) || strings.Contains(key, "\x00") {
		return nobody, nil // PostgreSQL stores no such text
	}
	var row userRow
	err := s.gorm(ctx).Scopes(postgres.Tag("identity.credentials")).
		Where("email_key = ?", key).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nobody, nil
	}
	if err != nil {
		return nobody, fmt.Errorf("identity: credentials: %w", err)
	}
	return row.credentials(), nil
}

// begin stores a session if the verified password is still the person's, and ends the one whose token
// is ends, unless that is "". The share lock orders it
// with a change of password: an earlier one is seen here, a later one ends this session.
func (s *Service) begin(
	ctx context.Context, who credentials, limits []throttle.Limit, ends string, now time.Time,
) (begun Session, err error) {
	err = s.inTransaction(ctx, func(tx transaction) error {
		var row userRow
		err := tx.Scopes(postgres.Tag("identity.verified")).
			Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).
			Where("id = ? and password_hash = ?", who.ID, who.passwordHash).Take(&row).Error
		if err != nil {
			return noRow(err, ErrWrongPassword, "verified")
		}
		if err := throttle.Clear(tx, limits, now); err != nil {
			return err
		}
		begun = Session{
			Person:        row.person(),
			Token:         newToken(),
			StartedAt:     now,
			SecondStepDue: row.TOTPSecret != nil,
		}
		if err := insertSession(tx, begun, nil, now); err != nil {
			return err
		}
		// Sessions without their code are ended first.
		err = deleteExcess(tx, &sessionRow{}, who.ID, "second_step_due, last_used_at desc",
			maxSessions)
		if err == nil && ends != "" {
			err = signOutIn(tx, ends)
		}
		return err
	})
	if err != nil {
		return Session{}, err
	}
	return begun, nil
}

// insertSession stores a session whose password was entered at the instant, or now for nil.
func insertSession(
	tx transaction, of Session, authenticatedAt *time.Time, now time.Time,
) error {
	row := sessionRow{
		TokenHash:     hashToken(of.Token),
		UserID:        of.Person.ID,
		CreatedAt:     of.StartedAt,
		LastUsedAt:    now,
		ExpiresAt:     of.expiry(now),
		SecondStepDue: of.SecondStepDue,

		AuthenticatedAt: authenticatedAt,
	}
	err := tx.Scopes(postgres.Tag("identity.insertSession")).Create(&row).Error
	return apperr.Annotate(err, "identity: insert a session")
}
