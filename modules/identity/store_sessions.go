package identity

import (
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// session returns the session of the token with its person, in one statement: it runs with each
// request of a screen.
func (s *Service) session(db transaction, token string, now time.Time) (sessionRow, error) {
	sessions := `(select *, ` + s.db.PositionSQL() + ` as position from sessions) as sessions`
	query := db.Scopes(ofPeople).Table(sessions).InnerJoins("User")
	return takeRow[sessionRow](query, "identity.session", ErrNoSession,
		"token_hash = ? and expires_at > ?", hashToken(token), now)
}

// touch stores a session's last use. Concurrent requests never move it back.
func touch(db transaction, session Session, now time.Time) error {
	err := db.Scopes(postgres.Tag("identity.touch")).Model(&sessionRow{}).
		Where("token_hash = ? and last_used_at < ?", hashToken(session.Token), now).
		Updates(map[string]any{"last_used_at": now, "expires_at": session.expiry(now)}).Error
	return apperr.Annotate(err, "identity: touch a session")
}

// insertSession stores a session. Without authenticatedAt, its password was entered now.
func insertSession(tx transaction, of Session, authenticatedAt *time.Time, now time.Time) error {
	return insertRows(tx, "identity.insertSession", &sessionRow{
		TokenHash:       hashToken(of.Token),
		UserID:          of.Person.ID,
		CreatedAt:       of.StartedAt,
		LastUsedAt:      now,
		ExpiresAt:       of.expiry(now),
		SecondStepDue:   of.SecondStepDue,
		AuthenticatedAt: authenticatedAt,
	})
}

func endSession(tx transaction, token string) (ended int64, err error) {
	return deleteRows(tx, "identity.endSession", &sessionRow{}, "token_hash = ?", hashToken(token))
}

// endExcessSessions ends the person's sessions above maxSessions, at first those without their
// code. It skips rows that another transaction has locked.
func endExcessSessions(tx transaction, personID string) error {
	excess := tx.Model(&sessionRow{}).Select("token_hash").Where("user_id = ?", personID).
		Order("second_step_due, last_used_at desc").Offset(maxSessions).Clauses(skipLocked)
	_, err := deleteRows(tx, "identity.endExcessSessions", &sessionRow{}, "token_hash in (?)", excess)
	return err
}

// authenticatedRecently compares authenticated_at with the database's clock, which wrote it rounded
// to a millisecond. An instant in the future is not recent: the clock was set back.
func authenticatedRecently(db transaction, token string, now time.Time) (bool, error) {
	const compared = `authenticated_at > clock_timestamp() - make_interval(secs => ?)
		and authenticated_at <= clock_timestamp() + interval '1 ms'`
	query := db.Model(&sessionRow{}).Select(compared, reauthenticationTTL.Seconds())
	return takeRow[bool](query, "identity.authenticatedRecently", ErrNoSession,
		"token_hash = ? and expires_at > ? and not second_step_due", hashToken(token), now)
}

func markAuthenticated(tx transaction, token string) error {
	marked := tx.Scopes(postgres.Tag("identity.markAuthenticated")).Model(&sessionRow{}).
		Where("token_hash = ?", hashToken(token)).Update("authenticated_at", gorm.Expr("now()"))
	if marked.Error == nil && marked.RowsAffected == 0 {
		return ErrNoSession
	}
	return apperr.Annotate(marked.Error, "identity: mark a session as authenticated")
}

// offerSecret stores a new secret with the session unless it has one, and returns the stored secret.
// With a key it replaces an offer in clear.
func offerSecret(
	db transaction, token string, keys Keyring, personID string,
) (stored string, err error) {
	kept := "%"
	if keys.Encrypts() {
		kept = encryptedPrefix + "%"
	}
	secret := keys.encrypt(personID, newTOTPSecret())
	var row sessionRow
	offered := db.Scopes(postgres.Tag("identity.offerSecret")).Model(&row).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "totp_offer"}}}).
		Where("token_hash = ?", hashToken(token)).
		Update("totp_offer",
			gorm.Expr("case when totp_offer like ? then totp_offer else ? end", kept, secret))
	switch {
	case offered.Error != nil:
		return "", fmt.Errorf("identity: offer a secret: %w", offered.Error)
	case offered.RowsAffected == 0:
		return "", ErrNoSession
	}
	return *row.TOTPOffer, nil
}
