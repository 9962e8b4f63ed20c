package org_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/testkit/pgtest"
)

const (
	ours    = "00000000-0000-4000-8000-00000000000a"
	theirs  = "00000000-0000-4000-8000-00000000000b"
	unknown = "00000000-0000-4000-8000-00000000000c"
)

type bundle struct {
	*pgtest.Database
	t    *testing.T
	log  *audit.Log
	orgs *org.Service
}

// setup makes two organisations.
func setup(t *testing.T) bundle {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	policy, err := authz.New()
	require.NoError(t, err)
	b := bundle{Database: db, t: t, log: audit.New(db.DB)}
	b.orgs = org.New(db.DB, b.log, policy)
	b.exec(`insert into organisations (id, slug, name, plan, reporting_mode) values
		($1, 'ours', 'Ours', 'pro', 'pseudonymous'), ($2, 'theirs', 'Theirs', 'free', 'nominative')`, ours, theirs)
	for _, organisation := range []string{ours, theirs} {
		for _, role := range []string{"owner", "admin", "member"} {
			b.exec(`insert into users (id, email, email_key, name) values ($1::uuid, $1, $1, $2)`, personID(organisation, role), "Ada "+role)
			b.exec(`insert into memberships (org_id, user_id, role) values ($1, $2, $3)`, organisation, personID(organisation, role), role)
		}
	}
	return b
}

// personID is that of the one member of the organisation with the role.
func personID(organisation, role string) string {
	return uuid.NewSHA1(uuid.Nil, []byte(organisation+role)).String()
}

func (b bundle) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.Owner.Pool.Exec(b.t.Context(), sql, args...)
	require.NoError(b.t, err)
}
