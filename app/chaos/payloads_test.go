package chaos

import "fmt"

// smuggling is a payload that hides a second request from some servers. OUTER and INNER are
// replaced by the other header lines of each request. INNER has a key: if it is executed, it
// exports.
type smuggling struct{ name, bytes string }

const (
	getInner = "GET /CSV HTTP/1.1\r\nINNER\r\n"
	getOuter = "GET /healthz HTTP/1.1\r\nOUTER"
)

// pipelined is the one payload whose second request is valid. It comes last.
const pipelined = "two whole requests"

// smugglings are one payload of each kind, for requests without and with a body.
func smugglings() (all []smuggling) {
	chunk := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(getInner), getInner)
	const end = "0\r\n\r\n" + getInner
	for _, request := range []string{"GET /healthz", "POST /sign-in", "GET /CSV"} {
		for name, rest := range map[string]string{
			"CL.TE":              "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"TE.CL":              "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
			"TE.TE":              "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"TE alone":           "Transfer-Encoding: chunked\r\n\r\n" + end,
			"another TE":         "Transfer-Encoding: identity\r\nContent-Length: 4\r\n\r\n" + chunk,
			"a blank before :":   "Transfer-Encoding : chunked\r\nContent-Length: 4\r\n\r\n" + chunk,
			"a control":          "Transfer-Encoding: \x0bchunked\r\nContent-Length: 4\r\n\r\n" + chunk,
			"LF alone":           "X: y\nTransfer-Encoding: chunked\r\n\r\n" + end,
			"CR alone":           "X: y\rTransfer-Encoding: chunked\r\n\r\n" + end,
			"a folded line":      "Transfer-Encoding:\r\n chunked\r\n\r\n" + end,
			"two lengths":        "Content-Length: 0\r\nContent-Length: 44\r\n\r\n" + getInner,
			"a list of lengths":  "Content-Length: 0, 44\r\n\r\n" + getInner,
			"a signed length":    "Content-Length: +44\r\n\r\n" + getInner,
			"a length overflows": "Content-Length: 18446744073709551660\r\n\r\n" + getInner,
			"a folded length":    "Content-Length: 4\r\n 4\r\n\r\n" + getInner,
			"NUL":                "X\x00: a\r\n\r\n" + getInner,
			"a chunk overflows":  "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n" + end,
			"an extension":       "Transfer-Encoding: chunked\r\n\r\n0;\n\r\n" + end,
			"trailers":           "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 3\r\n\r\n" + getInner,
		} {
			all = append(all, smuggling{request + ", " + name, request + " HTTP/1.1\r\nOUTER" + rest})
		}
	}
	// Beginnings after which nothing is a second request.
	for _, head := range []string{
		"BREW /healthz HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/9.9\r\nOUTER\r\n", "GET /healthz\r\n\r\n",
		"GET /healthz#x HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/1.1\rOUTER\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "CONNECT dg.example.org:443 HTTP/1.1\r\nOUTER\r\n",
		"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
		"GET /healthz HTTP/1.1\r\nOUTERConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n" +
			"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	} {
		all = append(all, smuggling{fmt.Sprintf("after %q", head), head + getInner})
	}
	return append(all, smuggling{pipelined, getOuter + "\r\n" + getInner})
}
