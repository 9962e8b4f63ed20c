package doctor_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/app/doctor"
)

// What the machine's checks make of good and of bad values.
func TestChecksOfTheMachine(t *testing.T) {
	proxies := func(networks ...string) (list []netip.Prefix) {
		for _, n := range networks {
			list = append(list, netip.MustParsePrefix(n))
		}
		return list
	}
	const gib = 1 << 30
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		found doctor.Finding
		want  doctor.Verdict
	}{
		"a user of its own":       {doctor.Root(1000, false), doctor.OK},
		"root, embedded":          {doctor.Root(0, true), doctor.OK},
		"root, external":          {doctor.Root(0, false), doctor.Warning},
		"1,024 files":             {doctor.Files(1024), doctor.Warning},
		"4,096 files":             {doctor.Files(4096), doctor.OK},
		"a full disk":             {doctor.Room(gib-1, 10*gib), doctor.Warning},
		"a small part of a large": {doctor.Room(10*gib, 1000*gib), doctor.Warning},
		"room":                    {doctor.Room(10*gib, 100*gib), doctor.OK},
		"https without proxies":   {doctor.Proxies("https://dg.example", nil), doctor.Warning},
		"https with a proxy": {doctor.Proxies("https://dg.example", proxies("10.0.0.0/8")),
			doctor.OK},
		"PostgreSQL 14":      {doctor.Version(140012), doctor.Failure},
		"PostgreSQL 15":      {doctor.Version(150000), doctor.OK},
		"a clock 6 s behind": {doctor.Clock(-6 * time.Second), doctor.Warning},
		"a clock 1 s ahead":  {doctor.Clock(time.Second), doctor.OK},
		"a sealer three days behind": {doctor.Backlog(3, now.AddDate(0, 0, -3), now),
			doctor.Warning},
		"yesterday to seal": {doctor.Backlog(1, now.Truncate(24*time.Hour).AddDate(0, 0, -1), now),
			doctor.OK},
		"nothing to seal": {doctor.Backlog(0, time.Time{}, now), doctor.OK},
		"a lost key":      {doctor.Secrets(2, false), doctor.Warning},
		"a wrong key":     {doctor.Secrets(0, true), doctor.Failure},
	} {
		require.Equal(t, c.want, c.found.Verdict, "%s: %s", name, c.found.Says)
		require.Equal(t, c.want == doctor.OK, c.found.Fix == "", "%s: what is not well has a fix",
			name)
	}
}

// Root may write everywhere but where nothing is.
func TestFolderThatIsNotWritable(t *testing.T) {
	require.True(t, doctor.Writable(t.TempDir()))
	require.False(t, doctor.Writable("/proc/self/fd/none"))
}
