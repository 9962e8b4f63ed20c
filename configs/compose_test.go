package configs_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// The containers of compose.yaml name no client: the one trusted address is the gateway's, from
// which the host's proxy comes. Every other setting reaches dg, too.
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
	require.NoError(t, yaml.Unmarshal(content(t, "compose.yaml"), &file))
	environment := file.Services["dg"].Environment
	settings, err := os.ReadFile("../platform/config/config.go")
	require.NoError(t, err)
	for _, s := range regexp.MustCompile(`env:"(DG_\w+)"`).FindAllSubmatch(settings, -1) {
		if name := string(s[1]); name != "DG_ADDR" && name != "DG_DATA_DIR" {
			require.Contains(t, environment, name)
		}
	}
	setting := environment["DG_TRUSTED_PROXIES"]
	trusted := regexp.MustCompile(`^\$\{DG_TRUSTED_PROXIES:-(.+)\}$`).FindStringSubmatch(setting)
	require.NotNil(t, trusted)
	proxy, err := netip.ParsePrefix(trusted[1])
	require.NoError(t, err)
	require.True(t, proxy.IsSingleIP(), "%s", proxy)
	network := file.Networks["default"].IPAM.Config
	require.Len(t, network, 1)
	require.Equal(t, proxy.Addr().String(), network[0].Gateway)
	require.True(t, netip.MustParsePrefix(network[0].Subnet).Contains(proxy.Addr()))
}

// A stolen password of the tables' owner is not the superuser's, and the image says when it can
// serve.
func TestImagesHaveTheirOwnSuperuserAndHealthCheck(t *testing.T) {
	compose := string(content(t, "compose.yaml"))
	require.Contains(t, compose, "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:?}\n")
	require.Contains(t, compose, `args: {VERSION:`)
	require.Contains(t, string(content(t, "Containerfile")), `CMD ["/dg", "health"]`)
}

func content(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", name))
	require.NoError(t, err)
	return text
}
