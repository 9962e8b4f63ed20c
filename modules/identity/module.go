package identity

import (
	"log/slog"
	"time"

	"dg/modules/identity/password"
	"dg/platform/postgres"
)

// Module is what the package offers, by job.
type Module struct {
	Sessions *Sessions // finds and ends sessions
	SignIns  *SignIns  // begins sessions and asks for the password again
	Accounts *Accounts // names people, changes passwords
	TwoStep  *TwoStep  // turns two-step verification on and off
	Resets   *Resets   // makes and uses the operator's reset links
	changer  *changer
}

// New returns the module over db. log takes sign-ins, failed ones and locks.
func New(db *postgres.DB, now func() time.Time, auditor Auditor, log *slog.Logger) *Module {
	recorder := &recorder{store: &store{db: db, now: now}, auditor: auditor, log: log}
	verifier := &verifier{
		recorder:  recorder,
		passwords: password.NewHasher(password.DefaultCost),
		slots:     newSignInLimiter(db.Pool),
	}
	changer := &changer{verifier: verifier}
	return &Module{
		Sessions: &Sessions{recorder},
		SignIns:  &SignIns{changer: changer},
		Accounts: &Accounts{changer},
		TwoStep:  &TwoStep{changer},
		Resets:   &Resets{verifier},
		changer:  changer,
	}
}

// EncryptWith makes the module read and write secrets with the keyring. Call it before the module
// is used.
func (m *Module) EncryptWith(keys Keyring) *Module {
	m.changer.keys = keys
	return m
}
