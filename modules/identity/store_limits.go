package identity

import (
	"context"
	"errors"
	"math"
	"time"

	"dg/platform/apperr"
	"dg/platform/netaddr"
	"dg/platform/postgres"
)

// A limit that is reached within its window starts a lock of the same length. During a lock,
// correct and wrong attempts get the same response, without a comparison.
const (
	maxFailures        = 10 // wrong passwords of an account from one network; wrong codes of a person
	maxAccountFailures = 50 // wrong passwords of an account
	passwordWindow     = 10 * time.Minute
	codeWindow         = time.Hour // allows about 240 guesses a day
	countTimeout       = 5 * time.Second
)

// LockedError says that there were too many wrong attempts. Until is the end of the lock.
type LockedError struct {
	Until time.Time
	cause *apperr.Error
}

func newLockedError(until, now time.Time) error {
	e := apperr.New(apperr.RateLimited, "Too many wrong attempts. Try again at %s.",
		until.UTC().Format("15:04:05 UTC"))
	e.RetryAfter = max(1, int(math.Ceil(until.Sub(now).Seconds())))
	return &LockedError{Until: until, cause: e}
}

func (e *LockedError) Error() string { return e.cause.Error() }

// Unwrap returns the error with the code apperr.RateLimited.
func (e *LockedError) Unwrap() error { return e.cause }

type guessLimit struct {
	keyHash  []byte // SHA-256, so that the table contains no e-mails
	maxWrong int
	window   time.Duration
}

// passwordLimits returns the limits of an account: a low one for the network and a higher one for
// all networks. A lock of one network does not affect others. A new password starts new counts. All
// attempts lock the two rows in this order, against deadlocks.
func passwordLimits(user userRow, address string) []guessLimit {
	account := EmailKey(user.Email)
	if user.PasswordHash != nil {
		account += " " + *user.PasswordHash
	}
	network := account + " " + netaddr.ClientText(address)
	return []guessLimit{
		{hashText("account from:" + network), maxFailures, passwordWindow},
		{hashText("account:" + account), maxAccountFailures, passwordWindow},
	}
}

// codeLimits returns the limit of a person's codes. A new two-step secret starts a new count; a
// re-encryption of the secret does not.
func codeLimits(user userRow) []guessLimit {
	key := user.ID
	if user.TOTPSince != nil {
		key += user.TOTPSince.UTC().Format(" " + time.RFC3339Nano)
	}
	return []guessLimit{{hashText("codes:" + key), maxFailures, codeWindow}}
}

// guessRow is a row of password_guesses, an unlogged table: a crash of PostgreSQL empties it, which
// ends all locks.
type guessRow struct {
	KeyHash []byte `gorm:"primaryKey"`
	Wrong   int
	EndsAt  time.Time
}

func (guessRow) TableName() string { return "password_guesses" }

// matchWithin calls match unless a limit is reached, and records a failed attempt. It counts a wrong
// attempt even if the client has cancelled the request, for example during the hash.
func (s *Service) matchWithin(
	db transaction, user userRow, limits []guessLimit, match func() error,
) (err error) {
	defer func() { s.recorder.recordFailedAttempt(db.Statement.Context, user.person(), err) }()
	if err := checkLimits(db, limits, s.clock()); err != nil {
		return err
	}
	matchErr := match()
	if !errors.Is(matchErr, ErrWrongPassword) && !errors.Is(matchErr, ErrWrongCode) {
		return matchErr
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(db.Statement.Context), countTimeout)
	defer cancel()
	if err := countAttempt(db.WithContext(ctx), limits, 1, s.clock()); err != nil {
		return err
	}
	return matchErr
}

func checkLimits(db transaction, limits []guessLimit, now time.Time) error {
	reached := db
	for _, l := range limits {
		reached = reached.Or("key_hash = ? and wrong >= ?", l.keyHash, l.maxWrong)
	}
	var lock guessRow
	result := db.Scopes(postgres.Tag("identity.checkLimits")).Where("ends_at > ?", now).
		Where(reached).Order("ends_at desc").Limit(1).Find(&lock)
	if result.RowsAffected > 0 {
		return newLockedError(lock.EndsAt, now)
	}
	return apperr.Annotate(result.Error, "identity: check limits")
}

// countAttempt adds a wrong attempt to every limit if wrong is 1, and resets every limit if wrong
// is 0. If a limit was reached since checkLimits, it changes no limit and returns a LockedError.
func countAttempt(db transaction, limits []guessLimit, wrong int, now time.Time) error {
	return db.Transaction(func(tx transaction) error {
		for _, l := range limits {
			if err := l.count(tx, wrong, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// count checks and counts in one statement, so that concurrent guesses cannot exceed maxWrong. A
// count above maxWrong means that the limit was reached before; the caller then rolls back.
func (l guessLimit) count(tx transaction, wrong int, now time.Time) error {
	endsAt := now.Add(l.window * time.Duration(wrong))
	var counted guessRow
	err := tx.Scopes(acrossOrganisations).
		Raw(`/* identity.countAttempt */
		insert into password_guesses as g (key_hash, wrong, ends_at) values ($1, $2, $4)
		on conflict (key_hash) do update
		   set (wrong, ends_at) = (select
		         case when anew then $2 else g.wrong + 1 end,
		         case when anew or g.wrong + 1 = $5 then $4 else g.ends_at end
		       from (select g.ends_at <= $3 or $2 = 0 and g.wrong < $5) n (anew))
		returning wrong, ends_at`, l.keyHash, wrong, now, endsAt, l.maxWrong).Scan(&counted).Error
	if counted.Wrong > l.maxWrong {
		return newLockedError(counted.EndsAt, now)
	}
	return apperr.Annotate(err, "identity: count an attempt")
}
