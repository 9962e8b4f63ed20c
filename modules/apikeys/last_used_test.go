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
	)
	change := func(sql string) func(apikeys.Key, apikeys.Token) error {
		return func(k apikeys.Key, token apikeys.Token) error {
			b.Exec(`update api_keys set `+sql+` where id = $1`, k.ID)
			return b.use(token)
		}
	}
	window := func(refused bool, used int) func(apikeys.Key, apikeys.Token) error {
		return func(k apikeys.Key, token apikeys.Token) error {
			b.setWindow(k.ID, refused, 1, used, 5)
			return b.use(token)
		}
	}
	wrongSecret := func(_ apikeys.Key, token apikeys.Token) error { return b.use(guessed(token)) }
	outside := func(k apikeys.Key, _ apikeys.Token) error { return b.useOutside(k.ID) }
	for name, c := range map[string]struct {
		before string // last_used_at as it was
		use    func(apikeys.Key, apikeys.Token) error
		moves  bool
	}{
		"the first use":             {`null`, change("name = name"), true},
		"the first in this minute":  {lastMinute, change("name = name"), true},
		"the second in this minute": {thisMinute, change("name = name"), false},
		"never backwards":           {`now() + interval '1 h'`, change("name = name"), false},
		"with a wrong secret":       {lastMinute, wrongSecret, false},
		"outside /api/v1/":          {`null`, outside, false},
		"beyond the rate":           {lastMinute, window(false, 120), false},
		"while it was replaced":     {`null`, change("revoked_at = now() + interval '1 h'"), true},
		"after the revocation":      {lastMinute, change("revoked_at = now() - interval '1 ms'"), false},
		"its windows had gone": {
			lastMinute, func(_ apikeys.Key, token apikeys.Token) error {
				b.Exec(`truncate api_key_windows`)
				return b.use(token)
			}, true,
		},
	} {
		b.within(func() {
			key, token := b.newKey()
			theirs, _ := b.newKey()
			b.Exec(`update api_keys set last_used_at = `+c.before+` where id = $1`, key.ID)
			before := b.instant("last_used_at", key)
			_ = c.use(key, token)
			after := b.instant("last_used_at", key)
			require.Nil(t, b.instant("last_used_at", theirs), "%s: another key's", name)
			if !c.moves {
				require.Equal(t, before, after, name)
				return
			}
			require.NotNil(t, after, name)
			require.NotEqual(t, before, after, name)
			require.Equal(t, 1, b.count(`api_keys where id = $1 and last_used_at between
				clock_timestamp() - interval '1 min' and clock_timestamp()`, key.ID), name)
		})
	}
}
