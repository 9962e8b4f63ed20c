package fairshare_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/fairshare"
)

func TestFlowIsThatOfTheContext(t *testing.T) {
	t.Parallel()
	ctx := fairshare.WithNetwork(context.Background(), "192.0.2.7")
	require.Equal(t, fairshare.Flow{ID: "192.0.2.7", Network: true}, fairshare.FlowOf(ctx))
	require.Equal(t, fairshare.Flow{ID: "acme"}, fairshare.FlowOf(fairshare.WithTenant(ctx, "acme")))
	require.Zero(t, fairshare.FlowOf(context.Background()))
}

func TestAcceptedCredentialHintsItsOrganisation(t *testing.T) {
	t.Parallel()
	k := fairshare.NewTenantHints()
	require.Empty(t, k.Organisation("right"))
	k.Accept("right", "acme")
	require.Equal(t, "acme", k.Organisation("right"))
	require.Empty(t, k.Organisation("wrong"))
	k.Accept("right", "globex") // a person's session is used in another organisation
	require.Equal(t, "globex", k.Organisation("right"))
}

// The number of hints is bounded. The last accepted credential is always remembered.
func TestTenantHintsAreBounded(t *testing.T) {
	t.Parallel()
	k := fairshare.NewTenantHints()
	const given = 2 * fairshare.MaxTenantHints
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
	require.Equal(t, fairshare.MaxTenantHints, known)
}
