package httpserver

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/fairshare"
	"dg/platform/netaddr"
)

// ClientAddr returns the address of the client: the connection's, or behind trusted proxies the
// last address of X-Forwarded-For that is not one of them.
func ClientAddr(c *fiber.Ctx) string { return recordOf(c.Context()).addr }

// WithTenant queues the request's statements with those of the organisation or, if it is "", with
// those of the client's network.
func WithTenant(c *fiber.Ctx, organisationID string) {
	if organisationID == "" {
		c.SetUserContext(fairshare.WithNetwork(c.UserContext(), netaddr.ClientText(ClientAddr(c))))
		return
	}
	c.SetUserContext(fairshare.WithTenant(c.UserContext(), strings.Clone(organisationID)))
}

// clientAddr walks X-Forwarded-For from the connection towards the client. It stops at the first
// hop that is untrusted or invalid, because everything left of it can be forged.
func clientAddr(remote net.Addr, forwarded [][]byte, trusted []netip.Prefix) string {
	at, ok := remoteIP(remote)
	if !ok {
		return ""
	}
	for _, line := range slices.Backward(forwarded) {
		for _, text := range slices.Backward(strings.Split(string(line), ",")) {
			if !netaddr.Within(at, trusted) {
				return at.String()
			}
			hop, ok := parseHop(text)
			if !ok {
				return at.String()
			}
			at = hop
		}
	}
	return at.String()
}

func remoteIP(a net.Addr) (netip.Addr, bool) {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, false
	}
	ip := tcp.AddrPort().Addr()
	return ip.Unmap(), ip.IsValid()
}

// parseHop reads an address with or without a port: some proxies add one.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	ip, err := netip.ParseAddr(s)
	if err != nil {
		ap, err := netip.ParseAddrPort(s)
		if err != nil {
			return netip.Addr{}, false
		}
		ip = ap.Addr()
	}
	return ip.Unmap().WithZone(""), true
}
