package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dg/app/apptest"
)

var (
	testResult    = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)
	readsOfCopies = regexp.MustCompile(`(\d+) reports read from replicas`)
)

// The whole suite of the contract holds through PgBouncer, and on this cluster's primary and
// standbys.
func (x *clustered) contractSuite(t *testing.T) {
	for how, environment := range map[string][]string{
		"through PgBouncer": {"DG_TEST_POOLER=1"},
		"with two replicas": {
			"DG_TEST_SERVER=" + x.DB[0].URL("dg_app"),
			"DG_TEST_REPLICAS=" + x.DB[1].URL("dg_app") + " " + x.DB[2].URL("dg_app"),
		},
	} {
		replicas := strings.Contains(how, "replicas")
		args := []string{"test", "-count=1", "-v", "-parallel", "4", "./modules/publicapi"}
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = apptest.InTree()
		cmd.Env = append(os.Environ(), environment...)
		out, err := cmd.CombinedOutput()
		results := map[string]int{}
		for _, result := range testResult.FindAllStringSubmatch(string(out), -1) {
			results[result[1]]++
			if result[1] == "FAIL" {
				t.Errorf("%s: %s", how, result[2])
			}
		}
		reads := 0
		for _, found := range readsOfCopies.FindAllStringSubmatch(string(out), -1) {
			n := 0
			_, _ = fmt.Sscan(found[1], &n)
			reads += n
		}
		t.Logf("the contract's suite %s: %v, %d reports read from replicas", how, results, reads)
		require.NoError(t, err, "%s", out[max(0, len(out)-4000):])
		require.Greater(t, results["PASS"], 100)
		require.Equal(t, replicas, reads > 100)
	}
}
