// Package netaddr identifies clients by address, and classifies addresses.
package netaddr

import (
	"net/netip"
	"slices"
	"strings"
)

// clientNetwork returns the network that identifies a client: the IPv4 address, or the IPv6 /64,
// which providers usually assign to one customer.
func clientNetwork(ip netip.Addr) netip.Prefix {
	if ip = ip.Unmap(); ip.Is4() {
		return netip.PrefixFrom(ip, 32)
	}
	return netip.PrefixFrom(ip.WithZone(""), 64).Masked()
}

// ClientText returns the text that identifies a client: the IPv4 address, or the IPv6 /64 in CIDR
// form. It returns other text unchanged.
func ClientText(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return strings.TrimSuffix(clientNetwork(ip).String(), "/32") // only an IPv4 address has a /32
}

// siteBits is the prefix length of the largest IPv6 block that customers usually get.
const siteBits = 48

// SiteText returns the /48 of a /64 that ClientText returned, and other text unchanged.
func SiteText(client string) string {
	network, err := netip.ParsePrefix(client)
	if err != nil {
		return client
	}
	return netip.PrefixFrom(network.Addr(), siteBits).Masked().String()
}

// Networks returns the prefixes by which limits count an address: the IPv4 address, or the /64 and
// the /48.
func Networks(ip netip.Addr) []netip.Prefix {
	network := clientNetwork(ip)
	if network.IsSingleIP() {
		return []netip.Prefix{network}
	}
	return []netip.Prefix{network, netip.PrefixFrom(network.Addr(), siteBits).Masked()}
}

// IsLoopback reports whether a host is localhost or a loopback address. It resolves no name.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// Within reports whether one of the networks contains the address.
func Within(ip netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(ip) })
}
