package apikeys_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/apikeys"
	"dg/platform/testkit"
)

// within runs f within one minute of the database's clock, again if a minute began during it.
func (b *bundle) within(f func()) {
	b.t.Helper()
	minute := func() time.Time {
		return testkit.One[time.Time](b.World, `select date_trunc('minute', clock_timestamp())`)
	}
	for {
		before := minute()
		f()
		if before.Equal(minute()) {
			return
		}
	}
}

// rules.md, Keys: last use is the last authenticated request within the rate limit. It only
// advances, at most once a clock minute, and never past the revocation.
func TestLastUse(t *testing.T) {
	b := setup(t)
	const (
		thisMinute = `date_trunc('minute', clock_timestamp())`
		lastMinute = thisMinute + ` - interval '1 ms'`

		revoke = `update api_keys set revoked_at = now() + interval `
	)
	wrongSecret := func(token apikeys.Token) error { return b.use(guessed(token)) }
	outside := func(token apikeys.Token) error { return b.useOutside(token.ID) }
	for name, c := range map[string]struct {
		before string // last_used_at as it was
		change string // "": none
		use    func(apikeys.Token) error
		moves  bool
	}{
		"the first use":             {`null`, "", b.use, true},
		"the first in this minute":  {lastMinute, "", b.use, true},
		"the second in this minute": {thisMinute, "", b.use, false},
		"never backwards":           {`now() + interval '1 h'`, "", b.use, false},
		"with a wrong secret":       {lastMinute, "", wrongSecret, false},
		"outside /api/v1/":          {`null`, "", outside, false},
		"while it was replaced":     {`null`, revoke + `'1 h'`, b.use, true},
		"after the revocation":      {lastMinute, revoke + `'-1 ms'`, b.use, false},
		"its windows had gone":      {lastMinute, `truncate api_key_windows`, b.use, true},
		"beyond the rate": {lastMinute,
			`update api_key_windows set instants = array_fill(now(), array[120])`, b.use, false},
	} {
		b.within(func() {
			key, token := b.newKey()
			b.Exec(`update api_keys set last_used_at = `+c.before+` where id = $1`, key.ID)
			before := b.instant("last_used_at", key)
			b.Exec(c.change)
			theirs, _ := b.newKey()
			_ = c.use(token)
			after := b.instant("last_used_at", key)
			require.Nil(t, b.instant("last_used_at", theirs), "%s: another key's", name)
			if !c.moves {
				require.Equal(t, before, after, name)
				return
			}
			require.NotNil(t, after, name)
			require.NotEqual(t, before, after, name)
			require.Equal(t, 1, b.Count(`api_keys where id = $1 and last_used_at between
				clock_timestamp() - interval '1 min' and clock_timestamp()`, key.ID), name)
		})
	}
}
