package configs_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/tb"
)

// compose.yaml trusts only the gateway's address, at which dg sees the host's proxy: no container can
// forge a client address. Every other setting reaches dg, too.
func TestComposeTrustsTheProxyAlone(t *testing.T) {
	var file struct {
		Services map[string]struct {
			Environment map[string]string
		}
		Networks map[string]struct {
			IPAM struct {
				Config []struct{ Subnet, Gateway string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(readDeployFile(t, "compose.yaml"), &file))
	environment := file.Services["dg"].Environment
	settings := tb.Must(os.ReadFile("../platform/config/config.go"))(t)
	for _, s := range regexp.MustCompile(`env:"(DG_\w+)"`).FindAllSubmatch(settings, -1) {
		if name := string(s[1]); name != "DG_ADDR" && name != "DG_DATA_DIR" {
			require.Contains(t, environment, name)
		}
	}
	setting := environment["DG_TRUSTED_PROXIES"]
	trusted := regexp.MustCompile(`^\$\{DG_TRUSTED_PROXIES:-(.+)\}$`).FindStringSubmatch(setting)
	require.NotNil(t, trusted)
	proxy := tb.Must(netip.ParsePrefix(trusted[1]))(t)
	require.True(t, proxy.IsSingleIP(), "%s", proxy)
	network := file.Networks["default"].IPAM.Config
	require.Len(t, network, 1)
	require.Equal(t, proxy.Addr().String(), network[0].Gateway)
	require.True(t, netip.MustParsePrefix(network[0].Subnet).Contains(proxy.Addr()))
}

// The superuser has a password of its own, which differs from that of the tables' owner. The image has
// a health check.
func TestComposeSeparatesSuperuserAndImageHasHealthCheck(t *testing.T) {
	compose := string(readDeployFile(t, "compose.yaml"))
	require.Contains(t, compose, "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?}\n")
	require.Contains(t, compose, `args: {VERSION:`)
	require.Contains(t, string(readDeployFile(t, "Containerfile")), `CMD ["/dg", "health"]`)
}

func readDeployFile(t *testing.T, name string) []byte {
	t.Helper()
	return tb.Must(os.ReadFile(filepath.Join("deploy", name)))(t)
}
