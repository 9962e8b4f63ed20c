package identity

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"slices"
	"time"

	"dg/platform/apperr"
	"dg/platform/postgres"
)

const (
	idleTimeout       = 12 * time.Hour
	absoluteTimeout   = 24 * time.Hour
	secondStepTimeout = 10 * time.Minute
	touchInterval     = time.Minute // minimum between two writes of a session's last use
	maxSessions       = 100         // signed-in sessions of a person
)

// ErrNoSession says that a session is unknown or has ended, or that its second step is due or done.
var ErrNoSession = apperr.New(apperr.AuthRequired,
	"You are not signed in, or your session has ended. Sign in again.")

// Session is a browser's session. With SecondStepDue, it is not signed in: it waits for the code of
// two-step verification.
type Session struct {
	Person        Person
	Token         string // the cookie's value: a secret
	StartedAt     time.Time
	SecondStepDue bool
	Position      postgres.Position // LSN that a replica must have replayed; if zero, none may be read
}

// Session returns the session of the token. If the session is signed in, it stores the use and
// extends the idle timeout, at most once in touchInterval. It skips this while the row is locked.
// Errors: ErrNoSession.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	tx := s.gorm(ctx)
	now := s.clock()
	row, err := readSession(tx, token, now, s.db.HasReplicas())
	if err != nil {
		return Session{}, err
	}
	session := Session{
		Person: row.User.person(), Token: token, StartedAt: row.CreatedAt,
		SecondStepDue: row.SecondStepDue, Position: row.Position,
	}
	if session.SecondStepDue || now.Sub(row.LastUsedAt) < touchInterval {
		return session, nil
	}
	unlocked := tx.Model(&sessionRow{}).Select("token_hash").Clauses(skipLocked).
		Where("token_hash = ?", hashText(token))
	_, err = updateRows(tx, "identity.touch", &sessionRow{},
		map[string]any{"last_used_at": now, "expires_at": session.expiry(now)}, "token_hash in (?)", unlocked)
	return session, err
}

// Recheck returns ErrNoSession once the session has ended, or the password or two-step secret has
// changed: a thief may run the download. It ignores the token, which may rotate during a download.
func (s *Service) Recheck(ctx context.Context, db *postgres.DB, session Session) error {
	tx := db.Gorm.WithContext(ctx).Scopes(acrossOrganisations).Joins("join sessions s on s.user_id = users.id")
	_, err := takeRow[userRow](tx, "identity.recheck", ErrNoSession, `users.id = ? and s.created_at = ?
		and s.expires_at > ? and not s.second_step_due
		and password_since is not distinct from ? and totp_since is not distinct from ?`,
		session.Person.ID, session.StartedAt, s.clock(), session.Person.PasswordSince, session.Person.TwoStepSince)
	return err
}

// SignOut ends the session of the token, if there is one.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return endSession(s.gorm(ctx), token, nil)
}

// SignOutEverywhere ends all sessions of the token's person. Errors: ErrNoSession.
func (s *Service) SignOutEverywhere(ctx context.Context, token string) error {
	// changePerson locks the person's row: otherwise a concurrent rotation could add a session
	_, err := s.changePerson(ctx, token, false, func(c *change) error {
		return deleteRows(c.tx, "identity.signOutEverywhere", nil, &sessionRow{}, "user_id = ?",
			c.session.UserID)
	})
	return err
}

func (s *Service) signedInSession(ctx context.Context, token string) (sessionRow, error) {
	row, err := readSession(s.gorm(ctx), token, s.clock(), false)
	if err == nil && row.SecondStepDue {
		err = ErrNoSession
	}
	return row, err
}

func (s Session) expiry(lastUsed time.Time) time.Time {
	if s.SecondStepDue {
		return s.StartedAt.Add(secondStepTimeout)
	}
	return slices.MinFunc([]time.Time{lastUsed.Add(idleTimeout), s.StartedAt.Add(absoluteTimeout)},
		time.Time.Compare)
}

// newToken returns 260 random bits, for which an unsalted SHA-256 suffices.
func newToken() string { return rand.Text() + rand.Text() }

func hashText(text string) []byte {
	h := sha256.Sum256([]byte(text))
	return h[:]
}

// sessionSQL is one statement, because each request of a screen runs it. authenticated_at is
// rounded, so it may be up to 1 ms in the future. Beyond that the clock was set back, and the
// session is not fresh.
const sessionSQL = `/* identity.session */ select s.*,
	s.authenticated_at between clock_timestamp() - make_interval(secs => @fresh)
	  and clock_timestamp() + interval '1 ms' as fresh,
	case when @replicas then ` + postgres.PositionExpression + ` end as position,
	u.id as "User__id", u.email as "User__email", u.name as "User__name",
	u.password_hash as "User__password_hash", u.password_since as "User__password_since",
	u.totp_secret as "User__totp_secret", u.totp_since as "User__totp_since",
	u.totp_last_step as "User__totp_last_step"
	from sessions s join users u on u.id = s.user_id
	where s.token_hash = @token and s.expires_at > @now`

func readSession(
	db transaction, token string, now time.Time, withPosition bool,
) (row sessionRow, err error) {
	err = db.Scopes(acrossOrganisations).Raw(sessionSQL, map[string]any{
		"fresh":    reauthenticationTTL.Seconds(),
		"replicas": withPosition,
		"token":    hashText(token),
		"now":      now,
	}).Take(&row).Error
	return row, postgres.OrMissing(err, "identity.session", ErrNoSession)
}

func lockPersonOf(tx transaction, token string) error {
	personID := tx.Model(&sessionRow{}).Select("user_id").Where("token_hash = ?", hashText(token))
	_, err := takeRow[userRow](tx.Clauses(lockRow), "identity.lockPerson", ErrNoSession,
		"id = (?)", personID)
	return err
}

// insertSession stores a session and ends excess sessions. A nil authenticatedAt means that the
// password was entered now.
func insertSession(tx transaction, session Session, authenticatedAt *time.Time, now time.Time) error {
	row := sessionRow{
		TokenHash:       hashText(session.Token),
		UserID:          session.Person.ID,
		CreatedAt:       session.StartedAt,
		LastUsedAt:      now,
		ExpiresAt:       session.expiry(now),
		SecondStepDue:   session.SecondStepDue,
		AuthenticatedAt: authenticatedAt,
	}
	if err := insertRows(tx, "identity.insertSession", &row); err != nil || row.SecondStepDue {
		return err
	}
	return endExcessSessions(tx, row)
}

func endSession(tx transaction, token string, missing error) error {
	return deleteRows(tx, "identity.endSession", missing, &sessionRow{}, "token_hash = ?",
		hashText(token))
}

// endExcessSessions ends the least recently used sessions beyond maxSessions, but never added.
// Sessions with SecondStepDue neither count nor end: otherwise a thief with the password alone
// could end the session in which the person types a code.
func endExcessSessions(tx transaction, added sessionRow) error {
	excess := tx.Model(&sessionRow{}).Select("token_hash").
		Where("user_id = ? and not second_step_due and token_hash <> ?", added.UserID, added.TokenHash).
		Order("last_used_at desc").Offset(maxSessions - 1).Clauses(skipLocked)
	return deleteRows(tx, "identity.endExcessSessions", nil, &sessionRow{}, "token_hash in (?)", excess)
}

func updateSession(tx transaction, tag, token string, columns map[string]any) error {
	changed, err := updateRows(tx, tag, &sessionRow{}, columns, "token_hash = ?", hashText(token))
	if err == nil && changed == 0 {
		return ErrNoSession
	}
	return err
}
