package netaddr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"dg/platform/netaddr"
)

// Every address of an IPv6 /64 is the same client. Every IPv4 address is a client of its own.
func TestIPv6NetworkIsOneClient(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8::7": "2001:db8::/64",
		"2001:db8:0:0:ffff::1": "2001:db8::/64", "2001:db8:0:1::7": "2001:db8:0:1::/64",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "2001:db8:1:2::9": "2001:db8:1:2::/64",
		"fe80::1%eth0": "fe80::/64", "": "", "no address": "no address",
	} {
		require.Equal(t, want, netaddr.ClientText(address), address)
	}
}
