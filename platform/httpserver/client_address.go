package httpserver

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"dg/platform/netaddr"
)

// ClientAddr returns the client's address. Behind trusted proxies that is the last address of
// X-Forwarded-For that is no trusted proxy, otherwise the connection's. On another program's app
// fiber's c.IP decides.
func ClientAddr(c *fiber.Ctx) string { return requestOf(c).addr }

// ClientNetwork returns the key of limits for each client: an IPv4 address, or the IPv6 /64 of one
// customer.
func ClientNetwork(c *fiber.Ctx) string { return netaddr.ClientText(ClientAddr(c)) }

func (s *Server) clientAddr(c *fiber.Ctx) string {
	if s == foreignServer {
		return strings.Clone(c.IP())
	}
	return clientAddr(c.Context().RemoteAddr(),
		c.Context().Request.Header.PeekAll(fiber.HeaderXForwardedFor), s.opts.TrustedProxies)
}

// clientAddr walks X-Forwarded-For from the connection towards the client. It stops at the first
// hop that is untrusted or invalid, because everything left of that hop can be forged. It returns
// "" for a connection other than TCP.
func clientAddr(remote net.Addr, forwarded [][]byte, trusted []netip.Prefix) string {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return ""
	}
	at := tcp.AddrPort().Addr().Unmap()
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

// parseHop parses an address with or without a port, which some proxies add. An IPv4-mapped
// address becomes IPv4.
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
