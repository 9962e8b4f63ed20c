package org_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/modules/org"
)

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
	their := b.organisation(theirs).Version
	first := b.organisation(ours).Version
	now := first
	seen := map[int64]bool{their: true, now: true}
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
		{`insert into organisations select * from organisations where id = $1 on conflict (id) do nothing`,
			false},
		{`insert into player_groups (id, org_id, name) values (gen_random_uuid(), $1, 'n')`, false},
	} {
		before := now
		b.Exec(c.statement, ours)
		now = b.organisation(ours).Version
		require.Equal(t, c.drawn, before != now, c.statement)
		require.Equal(t, !c.drawn, seen[now], "it is new: %s", c.statement)
		seen[now] = true
	}
	require.Equal(t, their, b.organisation(theirs).Version, "the other organisation's")

	// After a failover that loses the last change, the next change draws a version that is new.
	b.Exec(`alter table organisations disable trigger user`)
	b.Exec(`update organisations set version = $2 where id = $1`, ours, first)
	b.Exec(`alter table organisations enable trigger user`)
	b.Exec(`update organisations set name = name || '!' where id = $1`, ours)
	require.NotContains(t, seen, b.organisation(ours).Version)
}

// rules.md, Anonymity: a pseudonym is random and derived from nothing.
func TestLabelsAreRandom(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	characters := map[rune]int{}
	const draws = 20_000
	for range draws {
		label := org.NewLabel()
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
}
