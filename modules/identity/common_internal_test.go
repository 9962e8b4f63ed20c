package identity

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

func TestCommonPasswordsAreRefused(t *testing.T) {
	t.Parallel()
	for _, common := range []string{
		"password1234", "Password123!", "P@ssw0rd1234", "passwordpassword", "mypassword!!", "MotDePasse2026", "contraseña123", "passwort12345",
		"123456789012", "098765432109", "111111111111", "aaaaaaaaaaaa", "            ", "abcabcabcabc", "abcdefghijkl", "qwertyuiop12", "qwertz123456",
		"azertyuiop12", "1qaz2wsx3edc", "zxcvbnm,./12", "qwerty123456", "letmein12345", "iloveyou1234", "changeme2026", "welcome2026!!", "administrator1",
		"Summer2026!!", "dgdgdgdgdgdg", "dg-reporting-dg", "correct horse battery staple", "december2026", "😀😀😀😀😀😀😀😀😀😀😀😀", "monkeydragon12",
	} {
		err := checkUncommon(common, "ann@example.com")
		require.True(t, apperr.Is(err, apperr.Validation), common)
		require.Contains(t, apperr.From(err).Message, "too common")
	}
	for _, taken := range []string{
		"correct horse battery", "battery horse staple", "Zoe and friends", "twelve chars", "839201748261", "kx7-Qp2-mV9-tL4", "owner-of-harbour",
		"the dog ate my passport", "j'aime les crêpes", "Zürich im Regen", "日本語のパスワードは長い",
	} {
		require.NoError(t, checkUncommon(taken, "ann@example.com"), taken)
	}
	for _, own := range []string{"maren.solheim@harbour.example", "Maren.Solheim", "maren.solheim2026!"} {
		require.Contains(t, apperr.From(checkUncommon(own, "maren.solheim@harbour.example")).Message, "is your e-mail", own)
	}
	started := time.Now()
	for range 3 {
		_ = checkUncommon(string(make([]byte, 1000)), "")
	}
	require.Less(t, time.Since(started), 10*time.Second)
}

// However many sign in, a processor is left to the API.
func TestHashesLeaveAProcessor(t *testing.T) {
	t.Parallel()
	h := newHasher(defaultCost)
	var running, most atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			_ = h.run(context.Background(), h.cost.memory, func() error {
				now := running.Add(1)
				for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
				return nil
			})
		})
	}
	all.Wait()
	require.LessOrEqual(t, most.Load(), int64(max(1, runtime.GOMAXPROCS(0)-1)))
}

func TestNetworkOfAClient(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8::7": "2001:db8::/64", "2001:db8:0:0:ffff::1": "2001:db8::/64",
		"2001:db8:0:1::7": "2001:db8:0:1::/64", "fe80::1%eth0": "fe80::/64", "": "", "no address": "no address",
	} {
		require.Equal(t, want, network(address), address)
	}
}
