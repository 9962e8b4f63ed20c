package org_test

import (
	"crypto/rand"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
	"dg/platform/apperr"
)

func TestOrganisationIsReadInTheTransaction(t *testing.T) {
	b := setup(t)
	b.Exec(`update organisations set name = 'Ours!' where id = $1`, ours)
	for _, want := range []org.Organisation{
		{ID: ours, Slug: "ours", Name: "Ours!", Plan: org.PlanPro, ReportingMode: org.Pseudonymous},
		{ID: theirs, Slug: "theirs", Name: "Theirs", Plan: org.PlanFree, ReportingMode: org.Nominative},
	} {
		o := b.organisation(want.ID)
		want.Version = o.Version
		require.Equal(t, want, o)
	}
	_, err := b.orgs.OrganisationIn(b.DB.Gorm.WithContext(t.Context()), unknown)
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

func TestProAndEnterpriseIncludeTheAPI(t *testing.T) {
	t.Parallel()
	for plan, want := range map[org.Plan]bool{
		org.PlanFree: false, org.PlanTeam: false, org.PlanPro: true, org.PlanEnterprise: true, "": false,
	} {
		require.Equal(t, want, plan.IncludesAPI(), "%q", plan)
	}
}

// rules.md, Data: every change to an organisation, and nothing else, gives it a new version, which
// never repeats.
func TestVersionChangesWithEveryChange(t *testing.T) {
	b := setup(t)
	versions := func() [2]int64 {
		return [2]int64{b.organisation(ours).Version, b.organisation(theirs).Version}
	}
	first := versions()
	require.NotEqual(t, first[0], first[1])
	seen := map[int64]bool{first[0]: true, first[1]: true}
	for _, c := range []struct {
		statement string
		drawn     bool
	}{
		{`update organisations set slug = 'other' where id = $1`, true},
		{`update organisations set name = 'Other' where id = $1`, true},
		{`update organisations set plan = 'team' where id = $1`, true},
		{`update organisations set reporting_mode = 'nominative' where id = $1`, true},
		{`update organisations set version = 1 where id = $1`, true}, // cannot be set
		{`update organisations set name = name, plan = plan, version = version where id = $1`,
			false},
		{`update organisations set name = 'Other' where id = $1`, false}, // has that name
		{`insert into organisations select * from organisations where id = $1 on conflict (id) do nothing`,
			false},
		{`insert into player_groups (id, org_id, name) values (gen_random_uuid(), $1, 'n')`, false},
	} {
		before := versions()
		b.Exec(c.statement, ours)
		after := versions()
		require.Equal(t, c.drawn, before[0] != after[0], c.statement)
		require.Equal(t, !c.drawn, seen[after[0]], "it is new: %s", c.statement)
		seen[after[0]] = true
		require.Equal(t, before[1], after[1], "the other organisation's: %s", c.statement)
	}
	before := versions()
	b.Exec(`update organisations set name = name || '?'`)
	after := versions()
	require.NotContains(t, seen, after[0])
	require.NotContains(t, seen, after[1])
	require.NotEqual(t, before[1], after[1])

	// After a failover that loses the last change, the next change draws a version that is new.
	b.Exec(`alter table organisations disable trigger user`)
	b.Exec(`update organisations set version = $2 where id = $1`, ours, before[0])
	b.Exec(`alter table organisations enable trigger user`)
	b.Exec(`update organisations set name = name || '!' where id = $1`, ours)
	require.NotContains(t, []int64{before[0], after[0]}, versions()[0])
}

// rules.md, Anonymity: a pseudonym is random and derived from nothing.
func TestLabelsAreRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	characters := map[rune]int{}
	const draws = 20_000
	for range draws {
		label, err := org.NewLabel(rand.Reader)
		require.NoError(t, err)
		require.Regexp(t, `\AP-[0-9A-HJKMNP-TV-Z]{10}\z`, label)
		require.False(t, seen[label], "%s was drawn twice", label)
		seen[label] = true
		for _, c := range label[2:] {
			characters[c]++
		}
	}
	require.Len(t, characters, 32)
	for c, n := range characters {
		// nine standard deviations
		require.InDelta(t, draws*10/32, n, 700, "%c is as likely as the others", c)
	}

	label, err := org.NewLabel(strings.NewReader("\x00\x01\x1f\x20\x3f\xffABC"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "nine bytes are too few")
	require.Empty(t, label)
	label, err = org.NewLabel(strings.NewReader("\x00\x01\x1f\x20\x3f\xffABCD"))
	require.NoError(t, err)
	require.Equal(t, "P-01Z0ZZ1234", label, "it depends on its source alone")
}
