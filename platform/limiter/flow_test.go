package limiter_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/limiter"
)

func TestFlowIsThatOfTheContext(t *testing.T) {
	t.Parallel()
	ctx := limiter.WithFlow(context.Background(), "192.0.2.7")
	require.Equal(t, "192.0.2.7", limiter.FlowOf(ctx))
	require.Equal(t, "acme", limiter.FlowOf(limiter.WithFlow(ctx, "acme")))
	require.Empty(t, limiter.FlowOf(context.Background()))
}

func TestAcceptedCredentialsAreKnown(t *testing.T) {
	t.Parallel()
	k := limiter.NewKnown()
	require.Empty(t, k.Organisation("right"))
	k.Accept("right", "acme")
	require.Equal(t, "acme", k.Organisation("right"))
	require.Empty(t, k.Organisation("wrong"))
	k.Accept("right", "globex") // a person's session is used in another organisation
	require.Equal(t, "globex", k.Organisation("right"))
}

// However many credentials there are, only so many are known, the last one included.
func TestKnownCredentialsAreBounded(t *testing.T) {
	t.Parallel()
	k := limiter.NewKnown()
	const given = 2 * limiter.MaxKnown
	for i := range given {
		k.Accept(strconv.Itoa(i), "acme")
		require.Equal(t, "acme", k.Organisation(strconv.Itoa(i)))
	}
	known := 0
	for i := range given {
		if k.Organisation(strconv.Itoa(i)) != "" {
			known++
		}
	}
	require.Equal(t, limiter.MaxKnown, known)
}
