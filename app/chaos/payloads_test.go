package chaos

import (
	"fmt"
	"strings"
)

// smuggling is a payload that hides a second request from some servers. OUTER and INNER are
// replaced by the other header lines of each request. INNER has a key: if it is executed, it
// exports.
type smuggling struct{ name, bytes string }

const (
	getInner = "GET /CSV HTTP/1.1\r\nINNER\r\n"
	getOuter = "GET /healthz HTTP/1.1\r\nOUTER"
)

// chunk is a chunk of a body, written with its length.
func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// pipelined is the one payload whose second request is valid.
const pipelined = "two whole requests"

// smugglings returns every nth known trick, and pipelined.
func smugglings(nth int) (all []smuggling) {
	for i, s := range tricks() {
		if i%nth == 0 {
			all = append(all, s)
		}
	}
	return append(all, smuggling{pipelined, getOuter + "\r\n" + getInner})
}

var methods = []string{
	"GET /healthz", "POST /sign-in", "GET /CSV", "POST /api/v1/forks", "HEAD /healthz",
	"OPTIONS /healthz", "DELETE /sign-in",
}

func tricks() (all []smuggling) {
	add := func(name, bytes string) { all = append(all, smuggling{name, bytes}) }
	for _, method := range methods {
		head := method + " HTTP/1.1\r\nOUTER"
		whole := "0\r\n\r\n" + getInner
		length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
		add(method+" CL.TE", head+length(len(whole))+"Transfer-Encoding: chunked\r\n\r\n"+whole)
		add(method+" TE.CL",
			head+"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"+chunk(getInner)+
				"0\r\n\r\n")
		for _, te := range encodings {
			add(fmt.Sprintf("%s TE %q", method, te),
				head+te+"\r\n"+length(4)+"\r\n"+chunk(getInner)+"0\r\n\r\n")
			add(fmt.Sprintf("%s TE.TE %q", method, te),
				head+te+"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+getInner)
			add(fmt.Sprintf("%s TE alone %q", method, te), head+te+"\r\n\r\n"+whole)
		}
		for _, cl := range lengths {
			add(fmt.Sprintf("%s %q", method, cl), head+cl+"\r\n\r\n"+getInner)
		}
		for _, size := range chunkSizes {
			add(fmt.Sprintf("%s chunk %q", method, size),
				head+"Transfer-Encoding: chunked\r\n\r\n"+size+"\r\n"+getInner+"\r\n0\r\n\r\n"+
					getInner)
		}
		add(method+" trailers",
			head+"Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\nContent-Length: 3\r\n\r\n"+
				getInner)
	}
	for _, bad := range badHeads {
		add(fmt.Sprintf("after %q", bad), bad+getInner)
	}
	return all
}

var encodings = []string{
	"Transfer-Encoding: xchunked", "Transfer-Encoding: identity",
	"Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity, chunked",
	"Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", " Transfer-Encoding: chunked",
	"Transfer-Encoding:chunked", "Transfer-Encoding:\tchunked",
	"Transfer-Encoding: \x0bchunked", "Transfer-Encoding: chunked\x00",
	"Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;x=y",
	"Transfer-Encoding:\r\n chunked",
	"X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked",
	"X: y\r\n\rTransfer-Encoding: chunked", "Transfer-Encoding\x00: chunked",
	"Transfer-Encoding: CHUNKED", "Transfer-Encoding: gzip, chunked",
	"Transfer-Encoding: chunked\r\nTransfer-Encoding: x", "Transfer-Encoding:",
	"Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
	"Transfer-Encoding\xa0: chunked", "TRANSFER-ENCODING: chunked",
	"Transfer-Encoding: cow\r\nTransfer-Encoding: chunked",
}

var lengths = []string{
	"Content-Length: 0\r\nContent-Length: 44", "Content-Length: 44\r\nContent-Length: 0",
	"Content-Length: 0\r\nContent-Length: 0", "Content-Length: 0, 44", "Content-Length: 0,0",
	"Content-Length: +44", "Content-Length: -1", "Content-Length: 0x10", "Content-Length: 1e1",
	"Content-Length: 4 4", "Content-Length : 44", "Content-Length\t: 44", " Content-Length: 44",
	"Content-Length:\r\n 44", "Content-Length: 4\r\n 4", "X: y\nContent-Length: 44",
	"X: y\rContent-Length: 44", "Content-Length: 44\x00", "Content-Length: \x0b44",
	"Content-Length: 18446744073709551616",
	"Content-Length: 18446744073709551660", "Content-Length: 4294967340", "Content-Length:",
	"Content-Length: ''", "Content-Length: 44;x", "Content-Length\x00: 44", "Content-Length: 00000000000000000000044",
	"X: a\r\n folded", "X: a\r\n\tfolded", "X\x00: a", "X: a\x00", "No-colon", ": no name", "X : y",
	"\x00", "Content-Length: ٤٤",
}

var chunkSizes = []string{
	"0", "00000000000000000000", "0;x=y", "0;\n", "0 ", " 0", "0x0", "-0", "+0", "0\x00",
	"FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFF0", "10000000000000000", "8000000000000000",
	"7fffffffffffffff",
	"1;" + strings.Repeat("x", 5000), "5;a=\"\r\n\"", "0\n", "", "g", "0\r", "0_0", "1\r",
	strings.Repeat("0", 4000),
}

// badHeads are beginnings after which the connection must be closed, or the following bytes must
// not be executed as a second request. A request line that ends with LF alone is not among them: RFC
// 9112, 2.2 allows it, and nothing is hidden behind it.
var badHeads = []string{
	"\r\n\x00", "BREW /healthz HTTP/1.1\r\nOUTER\r\n", "GET /healthz HTTP/9.9\r\nOUTER\r\n",
	"GET /healthz\r\n\r\n", "GET /healthz HTTP/1.1 x\r\nOUTER\r\n",
	"GET  /healthz HTTP/1.1\r\nOUTER\r\n",
	"GET /healthz#x HTTP/1.1\r\nOUTER\r\n", "GET /heal thz HTTP/1.1\r\nOUTER\r\n",
	"GET /healthz\x00 HTTP/1.1\r\nOUTER\r\n",
	"GET /healthz HTTP/1.1\r\nOUTER\n",
	"GET /healthz HTTP/1.1\nOUTER\n", "GET /healthz HTTP/1.1\rOUTER\r\n",
	"GET /healthz HTTP/1.1\r\nOUTERHost: other\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET http://dg.example.org/healthz HTTP/9.1\r\nOUTER\r\n",
	"GET http://other/healthz\tHTTP/1.1\r\nOUTER\r\n",
	"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	"POST /sign-in HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: " +
		"chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
	"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc",
	"GET /healthz HTTP/1.1\r\nOUTERConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " +
		"h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\nPRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET /healthz HTTP/1.1\r\nOUTERConnection: close\r\n\r\n",
	"CONNECT dg.example.org:443 HTTP/1.1\r\nOUTER\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
	"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
	"GET /healthz HTTP/1.1\r\nOUTERX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n",
	"GET /" + strings.Repeat("x", 40<<10) + " HTTP/1.1\r\nOUTER\r\n",
}
