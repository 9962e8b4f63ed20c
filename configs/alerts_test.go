package configs_test

import (
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// Each alert has an expression, a summary and an action. The commands of the action read the service's
// settings.
func TestAlertsHaveExpressionsAndActions(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Action string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(readDeployFile(t, "alerts.yml"), &file))
	for _, rule := range file.Groups[0].Rules {
		require.NotEmpty(t, rule.Expr, rule.Alert)
		require.NotEmpty(t, rule.Annotations.Summary, rule.Alert)
		require.Regexp(t, `\.$`, rule.Annotations.Action, rule.Alert)
		require.NotRegexp(t, `[^-] dg (doctor|segments|account)`, rule.Annotations.Action, rule.Alert)
	}
}
