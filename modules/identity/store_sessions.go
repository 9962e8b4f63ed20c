package identity

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

// sessionAt is the session of a request with the primary's position.
type sessionAt struct {
	TokenHash     []byte `gorm:"primaryKey"`
	UserID        string
	CreatedAt     time.Time
	LastUsedAt    time.Time
	SecondStepDue bool
	Position      postgres.Position `gorm:"->;type:text"`
	User          userRow
}

func (sessionAt) TableName() string { return "sessions" }

func (r sessionAt) session(token string) Session {
	return Session{
		Person:        r.User.person(),
		Token:         token,
		StartedAt:     r.CreatedAt,
		SecondStepDue: r.SecondStepDue,
		Position:      r.Position,
	}
}

// session returns the session of the token with its person, in one statement: it runs with each
// request of a screen.
func (s *Service) session(
	ctx context.Context, token string, now time.Time,
) (row sessionAt, err error) {
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.session"), ofPeople).
		Table(`(select token_hash, user_id, created_at, last_used_at, expires_at, second_step_due, `+
			s.db.PositionSQL()+` as position from sessions) as sessions`).InnerJoins("User").
		Where("token_hash = ? and expires_at > ?", hashToken(token), now).Take(&row).Error
	return row, noRow(err, ErrNoSession, "session")
}

// touch stores a use. It does not move it back when requests of a session overtake each other.
func (s *Service) touch(ctx context.Context, session Session, now time.Time) error {
	err := s.gorm(ctx).Scopes(postgres.Tag("identity.touch")).Model(&sessionRow{}).
		Where("token_hash = ? and last_used_at < ?", hashToken(session.Token), now).
		Updates(map[string]any{"last_used_at": now, "expires_at": session.expiry(now)}).Error
	return apperr.Annotate(err, "identity: touch a session")
}

// authenticatedRecently compares authenticated_at with the database's clock, which wrote it rounded
// to a millisecond. An instant in the future is not recent: the clock was set back.
func authenticatedRecently(db *gorm.DB, token string, now time.Time) (recently bool, err error) {
	const compared = `authenticated_at > clock_timestamp() - make_interval(secs => ?)
		and authenticated_at <= clock_timestamp() + interval '1 ms'`
	err = db.Scopes(postgres.Tag("identity.authenticatedRecently")).Model(&sessionRow{}).
		Select(compared, reauthenticationTTL.Seconds()).
		Where("token_hash = ? and expires_at > ? and not second_step_due", hashToken(token), now).
		Take(&recently).Error
	return recently, noRow(err, ErrNoSession, "authenticated recently")
}

func markAuthenticated(tx transaction, in lockedSession) error {
	marked := tx.Scopes(postgres.Tag("identity.markAuthenticated")).Model(&sessionRow{}).
		Where("token_hash = ?", hashToken(in.Token)).Update("authenticated_at", gorm.Expr("now()"))
	if marked.Error != nil {
		return fmt.Errorf("identity: mark a session as authenticated: %w", marked.Error)
	}
	if marked.RowsAffected == 0 {
		return ErrNoSession
	}
	return nil
}

// maxSessions bounds a person's sessions.
const maxSessions = 100

// SignOutEverywhere ends all sessions of the person, this one too. Errors: ErrNoSession.
func (s *Service) SignOutEverywhere(ctx context.Context, token string) error {
	own, err := s.signedIn(ctx, token, s.clock())
	if err != nil {
		return err
	}
	err = s.gorm(ctx).Scopes(postgres.Tag("identity.signOutEverywhere")).
		Where("user_id = ?", own.UserID).Delete(&sessionRow{}).Error
	return apperr.Annotate(err, "identity: sign out everywhere")
}

// SignOut ends the session of the token, if there is one.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return signOutIn(s.gorm(ctx), token)
}

func signOutIn(tx transaction, token string) error {
	err := tx.Scopes(postgres.Tag("identity.deleteSession")).
		Where("token_hash = ?", hashToken(token)).Delete(&sessionRow{}).Error
	return apperr.Annotate(err, "identity: end a session")
}
