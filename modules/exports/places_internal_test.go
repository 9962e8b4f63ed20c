package exports

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
)

// Design, "Building blocks": an instance runs no more exports than its pool has connections, and one actor half of them.
func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlaces()
	take := func(actor string) func() {
		leave, err := p.take(actor)
		require.NoError(t, err)
		return leave
	}
	full := func(actor string) {
		_, err := p.take(actor)
		require.True(t, apperr.Is(err, apperr.Unavailable))
		require.Equal(t, 5, apperr.From(err).RetryAfter)
	}
	leave := take("a")
	for range maxAtOnceOfActor - 1 {
		take("a")
	}
	full("a")
	leave()
	leave() // again gives nothing back
	take("a")
	full("a")
	for range MaxAtOnce - maxAtOnceOfActor {
		take("b")
	}
	full("c")
}
