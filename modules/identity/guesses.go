package identity

import (
	"crypto/sha256"
	"math"
	"net/netip"
	"time"

	"dg/platform/apperr"
)

// The bounds of guessing. Nothing more is compared once so many were wrong within the window, for as long again.
const (
	maxWrong  = 10 // passwords for an account, also within sessions (in addressWindow), and codes of a person
	guessWait = time.Minute

	maxWrongOfAddress = 20 // from one address, whatever the account
	addressWindow     = 10 * time.Minute

	maxWrongOfBrowser = 5 // in a browser that has signed in before, passwords and codes apart
	browserWindow     = 15 * time.Minute

	maxCodeWait = time.Hour // to which the wait after wrong codes doubles
)

// The answers to a wrong guess. That for an e-mail nobody has is the same as that for a wrong password.
var (
	ErrWrongPassword = apperr.New(apperr.Validation, "E-mail or password is wrong. Check both and try again.")
	ErrWrongCode     = apperr.New(apperr.Validation,
		"That code did not work. It may have changed, or been used already. Type the next one.")
)

// LockedError says that there were too many wrong guesses, and until when no other is looked at.
type LockedError struct {
	Until time.Time
	cause *apperr.Error
}

func locked(until, now time.Time) error {
	e := apperr.New(apperr.RateLimited, "Too many wrong tries. Try again at %s.", until.UTC().Format("15:04:05 UTC"))
	e.RetryAfter = max(1, int(math.Ceil(until.Sub(now).Seconds())))
	return &LockedError{Until: until, cause: e}
}

func (e *LockedError) Error() string { return e.cause.Error() }

// Unwrap returns the error of the code ErrRateLimited.
func (e *LockedError) Unwrap() error { return e.cause }

// guesses are the wrong codes of a person.
type guesses struct {
	wrong     int
	waits     int // in a row
	waitUntil *time.Time
}

func (g guesses) waiting(now time.Time) bool { return g.waitUntil != nil && now.Before(*g.waitUntil) }

// oneMore is what there is after another wrong code: after ten a wait, each twice as long as the one before.
func (g guesses) oneMore(now time.Time) guesses {
	if g.wrong++; g.wrong < maxWrong {
		return guesses{wrong: g.wrong, waits: g.waits}
	}
	wait := maxCodeWait
	if g.waits < 6 { // 2^6 minutes are more
		wait = guessWait << g.waits
	}
	until := now.Add(wait)
	return guesses{waits: g.waits + 1, waitUntil: &until}
}

// budget is how many wrong guesses are compared within a window. The one that uses it up begins a wait of the same length.
type budget struct {
	key    []byte
	limit  int
	window time.Duration
	keeps  bool // whether a right guess leaves the count as it is
}

// newBudget counts what has the key: of the same length whatever it is, and no list of whom somebody tried.
func newBudget(kind, of string, limit int, window time.Duration) budget {
	h := sha256.Sum256([]byte(kind + ":" + of))
	return budget{key: h[:], limit: limit, window: window}
}

// signInBudgets are those that a sign-in is counted in. A known browser has one of its own: nobody else can use it up, and
// what others guess does not matter to it. Any other is counted by its address and by the account, in this order everywhere.
func signInBudgets(who credentials, from Client) []budget {
	if who.known {
		return []budget{newBudget("browser", from.Browser, maxWrongOfBrowser, browserWindow)}
	}
	address := newBudget("address", network(from.Address), maxWrongOfAddress, addressWindow)
	address.keeps = true // or an account of one's own would clear it
	return []budget{address, newBudget("account", who.emailKey, maxWrong, guessWait)}
}

// sessionBudgets are those of a password that is asked for within a session, by address and by person: those who guess at the
// sign-in do not use them up. Nobody but who has the session can, so the window is the longer one.
func sessionBudgets(who credentials, address string) []budget {
	from := newBudget("session address", network(address), maxWrongOfAddress, addressWindow)
	from.keeps = true // or a session of one's own would clear it
	return []budget{from, newBudget("session", who.id, maxWrong, addressWindow)}
}

// codeBudget is that of codes in a session that was begun in a known browser.
func codeBudget(browser []byte) budget {
	return newBudget("codes", string(browser), maxWrongOfBrowser, browserWindow)
}

// network is what a client has to itself: its IPv4 address, or the /64 that its IPv6 address is in.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap(); ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.WithZone("").Prefix(64) // cannot fail for an IPv6 address
	return prefix.String()
}
