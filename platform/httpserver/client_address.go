package httpserver

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/netaddr"
)

// ClientAddr returns the client's address: the connection's or, behind trusted proxies, the one in
// X-Forwarded-For. On another program's app it returns fiber's c.IP, which that program configures
// by fiber.Config.ProxyHeader.
func ClientAddr(c *fiber.Ctx) string {
	if r, ok := c.Locals(requestKey{}).(*request); ok {
		return r.addr
	}
	return strings.Clone(c.IP())
}

// ClientNetwork returns the client's IPv4 address or IPv6 /64, the key of limits per client.
func ClientNetwork(c *fiber.Ctx) string { return netaddr.ClientText(ClientAddr(c)) }

func (s *Server) clientAddr(c *fiber.Ctx) string {
	if s.app == nil {
		return strings.Clone(c.IP())
	}
	return clientAddr(c.Context().RemoteAddr(),
		c.Context().Request.Header.PeekAll(fiber.HeaderXForwardedFor), s.opts.TrustedProxies)
}

// clientAddr walks X-Forwarded-For from right to left. It stops at the first untrusted or invalid
// hop: everything left of that hop can be forged.
func clientAddr(remote net.Addr, forwarded [][]byte, trusted []netip.Prefix) string {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return ""
	}
	addr := tcp.AddrPort().Addr().Unmap()
	for _, line := range slices.Backward(forwarded) {
		for _, text := range slices.Backward(strings.Split(string(line), ",")) {
			if !netaddr.Within(addr, trusted) {
				return addr.String()
			}
			hop, ok := parseHop(text)
			if !ok {
				return addr.String()
			}
			addr = hop
		}
	}
	return addr.String()
}

// parseHop parses an address in X-Forwarded-For. Some proxies add a port, or brackets around IPv6.
func parseHop(s string) (netip.Addr, bool) {
	s = strings.TrimSpace(s)
	for _, text := range []string{s, s + ":0", "[" + s + "]:0"} {
		if hop, err := netip.ParseAddrPort(text); err == nil {
			return hop.Addr().Unmap().WithZone(""), true
		}
	}
	return netip.Addr{}, false
}
