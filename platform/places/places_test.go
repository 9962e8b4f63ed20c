package places_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/places"
)

// Design, "Building blocks": an instance runs no more exports than its pool has connections, and one actor half of them.
func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	p := places.New(8, 4, "Too many 100% of them.")
	take := func(actor string) func() {
		leave, err := p.Take(actor)
		require.NoError(t, err)
		return leave
	}
	full := func(actor string) {
		_, err := p.Take(actor)
		require.True(t, apperr.Is(err, apperr.Unavailable))
		require.Equal(t, "Too many 100% of them.", apperr.From(err).Message)
		require.Equal(t, 5, apperr.From(err).RetryAfter)
	}
	leave := take("a")
	for range 3 {
		take("a")
	}
	full("a")
	leave()
	leave() // again gives nothing back
	take("a")
	full("a")
	for range 4 {
		take("b")
	}
	full("c")
}
