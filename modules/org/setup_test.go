package org_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"dg/modules/audit"
	"dg/modules/org"
	"dg/platform/authz"
	"dg/platform/testkit"
)

const (
	ours    = "00000000-0000-4000-8000-00000000000a"
	theirs  = "00000000-0000-4000-8000-00000000000b"
	unknown = "00000000-0000-4000-8000-00000000000c"
)

type bundle struct {
	*testkit.World
	t    *testing.T
	orgs *org.Service
}

func setup(t *testing.T) bundle {
	t.Parallel()
	policy, err := authz.New()
	require.NoError(t, err)
	b := bundle{World: testkit.New(t), t: t}
	b.orgs = org.New(b.DB, audit.New(b.DB), policy)
	b.Organisation(testkit.Organisation{ID: ours, Slug: "ours", Name: "Ours"})
	b.Organisation(testkit.Organisation{
		ID: theirs, Slug: "theirs", Name: "Theirs", Plan: "free", ReportingMode: "nominative",
	})
	for _, organisation := range []string{ours, theirs} {
		for _, role := range []string{"owner", "admin", "member"} {
			b.Join(organisation, b.Person(testkit.Person{ID: personID(organisation, role)}).ID,
				role)
		}
	}
	return b
}

func personID(organisation, role string) string {
	return uuid.NewSHA1(uuid.Nil, []byte(organisation+role)).String()
}
