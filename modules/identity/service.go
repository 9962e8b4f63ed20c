package identity

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"dg/platform/apperr"
	"dg/platform/limiter"
	"dg/platform/postgres"
)

// Service signs people in.
type Service struct {
	db       *postgres.DB
	now      func() time.Time
	random   io.Reader
	hashes   *hashing
	attempts *limiter.Limiter
	swept    atomic.Int64 // when sweep did its work last, in milliseconds
	events   Events
	log      *slog.Logger
	keys     Keyring // of the secrets of two-step verification
}

// New returns the service over db. events is where security events go; log hears of those that could not be recorded.
func New(db *postgres.DB, now func() time.Time, events Events, log *slog.Logger) *Service {
	return &Service{db: db, now: now, random: rand.Reader, hashes: newHashing(), attempts: newAdmission(db.Pool), events: events, log: log}
}

// clock is now as it is kept: UTC, to the millisecond.
func (s *Service) clock() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// Client is the browser that somebody signs in with.
type Client struct {
	Address, UserAgent string
	Browser            string // what KnowBrowser returned to it, or ""
	known              []byte // the hash of that, where it is known for the person
}

// The bounds of what is kept of a client, in bytes.
const (
	maxAddress   = 64
	maxUserAgent = 256
)

// kept makes a client's text fit to be stored, cut to the limit.
func kept(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
}

// Session returns the session of the token and moves its last use forward, at most once a minute. Errors: ErrNoSession.
func (s *Service) Session(ctx context.Context, token string) (Session, error) {
	now := s.clock()
	session, lastUsed, err := s.session(ctx, token, now)
	if err != nil {
		return Session{}, err
	}
	if !session.SecondStepDue && now.Sub(lastUsed) >= touchEvery {
		if err := s.touch(ctx, session, now); err != nil {
			return Session{}, err
		}
	}
	return session, nil
}

// SignIn begins a session for the person with the e-mail and the password. Where two-step verification is on, the session
// has still to give its code: SecondStepDue.
//
// An unknown e-mail, one without a password and a wrong password have the same answer, after the same time, and are
// counted alike. Errors: ErrWrongPassword; a LockedError while there were too many of them, for a right password as well;
// ErrUnavailable when the sign-in cannot be recorded, or when too many sign in at once.
func (s *Service) SignIn(ctx context.Context, email, password string, from Client) (Session, error) {
	lease, err := s.admit(ctx, from.Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	if err := s.sweep(ctx, s.clock()); err != nil {
		return Session{}, err
	}
	key := EmailKey(email)
	who, err := s.credentials(ctx, key, from.Browser, s.clock())
	if err != nil {
		return Session{}, err
	}
	if err := s.verify(ctx, who, signInBudgets(who, from), password); err != nil {
		return Session{}, err
	}
	token, err := newToken(s.random)
	if err != nil {
		return Session{}, err
	}
	from.Address, from.UserAgent = kept(from.Address, maxAddress), kept(from.UserAgent, maxUserAgent)
	session, err := s.begin(ctx, who, token, from, s.clock())
	if err != nil {
		s.fail(ctx, who.person(), err, nil)
	}
	return session, err
}

// SignOut ends the session of the token, whether or not there is one.
func (s *Service) SignOut(ctx context.Context, token string) error { return s.end(ctx, token) }

// maxPeople bounds People.
const maxPeople = 1000

// People returns the people with the ids, by name: at most 1,000 of them. Unknown ids are left out.
func (s *Service) People(ctx context.Context, ids []string) ([]Person, error) {
	if len(ids) > maxPeople {
		return nil, fmt.Errorf("identity: people: asked for %d, more than %d", len(ids), maxPeople)
	}
	return s.people(ctx, ids)
}

// The bounds of a new password. There are no rules on what it is made of.
const (
	minPassword = 12   // code points
	maxPassword = 1000 // bytes
)

// ChangePassword replaces the person's password. Every other session of the person ends; this one goes on under the token
// of the session returned.
//
// Errors: ErrNoSession, ErrWrongPassword, ErrWrongCode, a LockedError, ErrValidation with the field "new".
func (s *Service) ChangePassword(ctx context.Context, token string, proof Proof, replacement string) (Session, error) {
	if err := checkNewPassword(replacement); err != nil {
		return Session{}, err
	}
	lease, err := s.admit(ctx, requestOf(ctx).Address)
	if err != nil {
		return Session{}, err
	}
	defer lease.Release()
	who, err := s.confirm(ctx, token, proof.Password)
	if err != nil {
		return Session{}, err
	}
	if normal(replacement) == normal(proof.Password) {
		return Session{}, errSamePassword
	}
	if err := checkUncommon(normal(replacement), who.emailKey); err != nil {
		return Session{}, err
	}
	hash, err := s.hashes.hash(ctx, normal(replacement), s.random)
	if err != nil {
		return Session{}, err
	}
	return s.asConfirmed(ctx, token, who, func(tx pgx.Tx, in *signedIn, now time.Time) error {
		if in.secret != "" {
			if err := s.takeCode(ctx, tx, in, proof.Code, now); err != nil {
				return err
			}
		}
		return s.renew(ctx, tx, in, now, PasswordChanged, func() error { return replacePassword(ctx, tx, in, hash, now) })
	})
}

var errSamePassword = apperr.NewField("new", "The new password is the current one. Use another one.")

func checkNewPassword(password string) error {
	switch p := normal(password); {
	case !utf8.ValidString(p):
		return apperr.NewField("new", "The new password holds something that is no text. Type another one.")
	case utf8.RuneCountInString(p) < minPassword:
		return apperr.NewField("new", "The new password is too short. Use at least %d characters.", minPassword)
	case len(password) > maxPassword:
		return apperr.NewField("new", "The new password is too long. Use at most %d bytes.", maxPassword)
	}
	return nil
}

// normal is a password as it is hashed, so that it is the same from every keyboard.
func normal(password string) string { return norm.NFC.String(password) }

// verify returns nil when the password is the person's, and counts and records it otherwise. While one of the budgets is
// used up it compares none.
func (s *Service) verify(ctx context.Context, who credentials, budgets []budget, password string) error {
	if err := waitOf(ctx, s.db.Pool, budgets, s.clock()); err != nil {
		s.fail(ctx, who.person(), err, nil)
		return err
	}
	hash := who.passwordHash
	if len(password) > maxPassword { // nobody has one: what it costs to look at is bounded
		hash, password = nil, ""
	}
	fits, err := s.hashes.fits(ctx, hash, normal(password))
	if err != nil || fits {
		return err
	}
	ended, err := s.countWrong(ctx, budgets, s.clock())
	if err == nil {
		err = ErrWrongPassword
	}
	s.fail(ctx, who.person(), err, ended)
	return err
}
