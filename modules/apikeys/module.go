package apikeys

import (
	"crypto/rand"
	"time"

	"dg/modules/audit"
	"dg/platform/authz"
	"dg/platform/postgres"
)

// Module is what the package offers, by job.
type Module struct {
	Authenticator *Authenticator // for requests with a key
	Reader        *Reader        // for the screens that list keys
	Manager       *Manager       // for the forms that change them
	Counter       *Counter       // for the background
}

// New returns the module over db. onUnknownKey is called for each use of an unknown key, which
// belongs to no audit log.
func New(
	db *postgres.DB, orgs Organisations, log *audit.Log, policy *authz.Policy, now func() time.Time,
	onUnknownKey func(),
) *Module {
	shared := &core{db: db, policy: policy, now: now}
	counter := &Counter{db: db, now: now}
	return &Module{
		Authenticator: &Authenticator{
			db:           db,
			log:          log,
			now:          now,
			counter:      counter,
			onUnknownKey: onUnknownKey,
			statement:    withPosition(db),
		},
		Reader:  &Reader{shared},
		Manager: &Manager{core: shared, orgs: orgs, log: log, random: rand.Reader},
		Counter: counter,
	}
}
