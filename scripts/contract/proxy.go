package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// condition describes what the proxy does and the right result: the program works, fails with its
// destination unchanged, or either.
type condition struct {
	name                 string
	wantSuccess, mayFail bool
	forSnippets          bool // applies to snippets too (program.Snippet)
	onlyCSV              bool // applies only to programs that read CSV
	excludesPrinting     bool // does not apply to programs that print the answer without reading it
	// whether the condition excludes programs that send requests by curl: dg.curl has their key, curl accepts a date
	// of any year, and curl prints its own message
	excludesCurl bool
	changeKey    func(string) string
	env          []string
	homeFile     string // a file of the home folder that could change the requests
	wantText     string // text that the program prints
	wantRequests int    // expected number of requests; 0: any
	// owner of the key: an organisation of table.sql; "": the demo
	keyOwner     string
	periodDays   int           // length of the period, which ends today; 0: 41; negative: it begins after today
	groupID      string        // the groupId that is set in the program
	noWholeWeek  bool          // no whole week: a program that draws must report it
	exportStalls bool          // the export stops after its first half
	interrupted  bool          // the program gets SIGINT when the export stops
	runsTwice    bool          // two runs at once, of which at least one succeeds
	diskFull     bool          // the folder is a disk with one free page
	readOnly     bool          // the folder is a disk that is mounted read-only
	omitsBar     bool          // a terminal chart omits the bar of a hidden year
	noKey        bool          // no environment variable has a key
	ownMessage   bool          // the program prints its own message, not its language's
	crlf         bool          // the program's source has CRLF line ends
	needsLocales bool          // needs locales in the folder LOCPATH
	minWait      time.Duration // minimum wait after the first busy answer
	answer       func(w http.ResponseWriter, r *http.Request, whole []byte, attempt int) bool
}

func answerWith(body, mediaType string) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ []byte, _ int) bool {
		if !isReport(r) {
			return false
		}
		w.Header().Set("Content-Type", mediaType)
		_, _ = io.WriteString(w, body)
		return true
	}
}

func isReport(r *http.Request) bool {
	return strings.HasSuffix(r.URL.Path, "/csv") || strings.HasSuffix(r.URL.Path, "/stats")
}

// partialContent sends the first half of the lines as 206, as a cache may.
func partialContent(w http.ResponseWriter, r *http.Request, whole []byte, _ int) bool {
	if !isReport(r) || r.Method == http.MethodHead {
		return false
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	if strings.HasSuffix(r.URL.Path, "/stats") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(http.StatusPartialContent)
	_, _ = io.WriteString(w, firstHalf(string(whole)))
	return true
}

func firstHalf(text string) string {
	all := lines(text)
	return strings.Join(all[:max(1, len(all)/2)], "")
}

// truncateCSV ends a CSV after half of its lines. header declares the length of a longer body or chunk.
func truncateCSV(header string) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, r *http.Request, whole []byte, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, "/csv") || r.Method == http.MethodHead {
			return false
		}
		half := firstHalf(string(whole))
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"+header+"%s", half)
			_ = conn.Close()
		}
		return true
	}
}

// hideGroup answers that the group is hidden, after the list of forks and the statistics of the demo's six forks.
// An export has only its header row.
func hideGroup(w http.ResponseWriter, r *http.Request, whole []byte, attempt int) bool {
	switch {
	case strings.HasSuffix(r.URL.Path, "/csv"):
		return changeCSV(func(s string) string { return lines(s)[0] })(w, r, whole, attempt)
	case attempt > 6:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"plays":0,"suppressed":true,"daily":[]}`)
		return true
	}
	return false
}

// hideFirstYear hides the first of two periods of a fork.
func hideFirstYear(w http.ResponseWriter, r *http.Request, _ []byte, _ int) bool {
	isRecent := r.URL.Query().Get("from") > time.Now().AddDate(-1, 0, 0).Format(time.DateOnly)
	if isRecent || !strings.HasSuffix(r.URL.Path, "/60772820-1226-4be5-b50f-c2adbe3dca64/stats") {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"plays":0,"suppressed":true,"daily":[]}`)
	return true
}

// signInPage answers every request with a page, like a proxy that requires a sign-in.
func signInPage(w http.ResponseWriter, _ *http.Request, _ []byte, _ int) bool {
	w.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(w, "<html>Log in</html>")
	return true
}

// gzipResponse compresses a response whose request does not accept gzip.
func gzipResponse(w http.ResponseWriter, r *http.Request, whole []byte, _ int) bool {
	if r.Method == http.MethodHead {
		return false
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/csv") {
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	}
	body := gzip.NewWriter(w)
	_, _ = body.Write(whole)
	_ = body.Close()
	return true
}

// changeCSV sends the CSV as modified by change.
func changeCSV(change func(string) string) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, r *http.Request, whole []byte, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, "/csv") || r.Method == http.MethodHead {
			return false
		}
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		_, _ = io.WriteString(w, change(string(whole)))
		return true
	}
}

// busyOnce answers only the first request of a cell with 429, because each such answer makes the program wait.
func busyOnce(retryAfter string) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte, attempt int) bool {
		if attempt > 0 {
			return false
		}
		value := retryAfter
		if value == "date" {
			value = time.Now().Add(2 * time.Second).UTC().Format(http.TimeFormat)
		}
		if value != "" {
			w.Header().Set("Retry-After", value)
		}
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"code":"resource-exhausted","message":"Busy."}`)
		return true
	}
}

// busyForever answers 503, and echoes the key, as a gateway may. The program gives up after eight tries.
func busyForever(w http.ResponseWriter, r *http.Request, _ []byte, _ int) bool {
	w.Header().Set("Retry-After", "0")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"code":"unavailable","message":"Closed until noon. `+r.Header.Get("Authorization")+`"}`)
	return true
}

// forbidExport answers an export with 403, with the key in the body and a header.
func forbidExport(w http.ResponseWriter, r *http.Request, _ []byte, _ int) bool {
	if !strings.HasSuffix(r.URL.Path, "/csv") {
		return false
	}
	w.Header().Set("X-Asked", r.Header.Get("Authorization"))
	w.WriteHeader(http.StatusForbidden)
	_, _ = io.WriteString(w, `{"code":"permission-denied","message":"Not with `+r.Header.Get("Authorization")+`."}`)
	return true
}

// resetAfter sends part of the answer and resets the connection.
func resetAfter(fraction float64) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, r *http.Request, whole []byte, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, r.Header.Get("X-Report")) || r.Method == http.MethodHead {
			return false
		}
		if conn := beginResponse(w, whole, fraction); conn != nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
		return true
	}
}

// beginResponse sends the first part of the answer, and returns the connection, or nil on failure.
func beginResponse(w http.ResponseWriter, whole []byte, fraction float64) net.Conn {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil
	}
	n := min(len(whole)-1, int(fraction*float64(len(whole))))
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s",
		len(whole), whole[:n])
	return conn
}

// stall sends half of an export and then nothing, until the program closes the connection.
func (p *recipeProxy) stall(w http.ResponseWriter, whole []byte, signal bool) {
	conn := beginResponse(w, whole, 0.5)
	if conn == nil {
		return
	}
	defer conn.Close()
	if signal {
		p.interrupt.Load().(func())()
	}
	_ = conn.SetReadDeadline(time.Now().Add(timeout))
	_, _ = conn.Read(make([]byte, 1))
}

// awaitOtherRun makes the first request for an export wait for that of the other run.
func (p *recipeProxy) awaitOtherRun(path string) {
	p.mu.Lock()
	arrived, isSecond := p.waitingRuns[path]
	if !isSecond {
		arrived = make(chan struct{})
		p.waitingRuns[path] = arrived
	} else if arrived != nil {
		close(arrived)
		p.waitingRuns[path] = nil
	}
	p.mu.Unlock()
	if isSecond {
		return
	}
	select {
	case <-arrived:
	case <-time.After(minDefaultWait): // the other run has ended
	}
}

func redirect(status int) func(http.ResponseWriter, *http.Request, []byte, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ []byte, _ int) bool {
		http.Redirect(w, r, "http://localhost:"+r.Header.Get("X-Elsewhere"), status)
		return true
	}
}

func lines(csv string) []string { return strings.SplitAfter(csv, "\n") }

var conditions = []condition{
	{name: "as it is", wantSuccess: true, forSnippets: true},
	{name: "key with LF", wantSuccess: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return k + "\n" }},
	{name: "key with CRLF", wantSuccess: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return k + "\r\n" }},
	{name: "key with a byte order mark", wantSuccess: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return "\ufeff" + k }},
	{name: "key with blanks", wantSuccess: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return " " + k + "\t " }},
	{name: "key in quotes", mayFail: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return `"` + k + `"` }},
	{name: "no key", forSnippets: true, excludesCurl: true, wantText: "DG_KEY",
		changeKey: func(string) string { return "" }},
	{name: "unset key", forSnippets: true, excludesCurl: true, noKey: true, ownMessage: true, wantText: "DG_KEY"},
	{name: "two keys", forSnippets: true, excludesCurl: true, wantText: "DG_KEY",
		changeKey: func(k string) string { return k + "\n" + k }},
	{name: "key not ASCII", mayFail: true, forSnippets: true, excludesCurl: true,
		changeKey: func(k string) string { return k + "é" }},
	{name: ".netrc", wantSuccess: true, forSnippets: true, homeFile: ".netrc"},
	{name: ".curlrc", wantSuccess: true, forSnippets: true, homeFile: ".curlrc"},
	{name: "C locale", wantSuccess: true, env: []string{"LC_ALL=C", "LANG=C"}},
	{name: "an empty CSV", onlyCSV: true, answer: changeCSV(func(string) string { return "" })},
	{name: "an empty 200", forSnippets: true, onlyCSV: true, answer: answerWith("", "text/csv")},
	{name: "HTML", forSnippets: true, onlyCSV: true, answer: answerWith("<html>Log in</html>", "text/html")},
	{name: "JSON in place of CSV", forSnippets: true, onlyCSV: true,
		answer: changeCSV(func(string) string { return `{"items":[]}` })},
	{name: "another header row", onlyCSV: true,
		answer: changeCSV(func(s string) string { return "a,b\n" + strings.Join(lines(s)[1:], "") })},
	{name: "a row cut clean", forSnippets: true, onlyCSV: true, answer: changeCSV(func(s string) string {
		last := strings.LastIndex(strings.TrimSuffix(s, "\n"), ",")
		return s[:last]
	})},
	{name: "the last line end cut", forSnippets: true, onlyCSV: true, excludesCurl: true,
		answer: changeCSV(func(s string) string { return strings.TrimSuffix(s, "\n") })},
	{name: "rows missing", onlyCSV: true, answer: changeCSV(firstHalf)},
	{name: "206", forSnippets: true, excludesPrinting: true, answer: partialContent},
	{name: "closed at a line end", forSnippets: true, onlyCSV: true,
		answer: truncateCSV("Content-Length: 9999999\r\n\r\n")},
	{name: "a chunk cut at a line end", forSnippets: true, onlyCSV: true,
		answer: truncateCSV("Transfer-Encoding: chunked\r\n\r\nfffff\r\n")},
	{name: "HTML everywhere", forSnippets: true, excludesPrinting: true, excludesCurl: true, ownMessage: true,
		answer: signInPage},
	{name: "gzip unasked", wantSuccess: true, forSnippets: true, excludesCurl: true, answer: gzipResponse},
	{name: "302", forSnippets: true, ownMessage: true, answer: redirect(http.StatusFound)},
	{name: "308", forSnippets: true, answer: redirect(http.StatusPermanentRedirect)},
	{name: "reset at the first byte", mayFail: true, ownMessage: true, forSnippets: true, answer: resetAfter(0)},
	{name: "reset in the middle", mayFail: true, ownMessage: true, forSnippets: true, answer: resetAfter(0.5)},
	{name: "reset at the last byte", mayFail: true, ownMessage: true, forSnippets: true, answer: resetAfter(1)},
	{name: "503 for ever", excludesCurl: true, answer: busyForever, wantText: "Closed until noon.", wantRequests: 8},
	{name: "503 that repeats the key", forSnippets: true, excludesCurl: true, answer: busyForever},
	{name: "403 that repeats the key", onlyCSV: true, answer: forbidExport},
	{name: "a proxy for http", wantSuccess: true, forSnippets: true, env: []string{"http_proxy=http://127.0.0.1:9"}},
	{name: "a proxy for all", wantSuccess: true, forSnippets: true,
		env: []string{"ALL_PROXY=http://127.0.0.1:9", "all_proxy=http://127.0.0.1:9"}},
	{name: "429, seconds", wantSuccess: true, answer: busyOnce("1"), minWait: time.Second},
	{name: "429, a fraction", wantSuccess: true, answer: busyOnce("0.5"), minWait: 500 * time.Millisecond},
	{name: "429, a date", wantSuccess: true, answer: busyOnce("date"), minWait: time.Second},
	{name: "429, year 99999", excludesCurl: true, wantSuccess: true, minWait: minDefaultWait,
		answer: busyOnce("Fri, 31 Dec 99999 23:59:59 GMT")},
	{name: "429, tomorrow", excludesCurl: true, wantSuccess: true, minWait: minDefaultWait,
		answer: busyOnce(time.Now().Add(24 * time.Hour).UTC().Format(http.TimeFormat))},
	{name: "429, a date that is over", excludesCurl: true, wantSuccess: true, minWait: minDefaultWait,
		answer: busyOnce("Wed, 21 Oct 2015 07:28:00 GMT")},
	{name: "429, nonsense", wantSuccess: true, answer: busyOnce("soon"), minWait: minDefaultWait},
	{name: "429, nothing", wantSuccess: true, answer: busyOnce(""), minWait: minDefaultWait},
	{name: "a first day to come", periodDays: -9, ownMessage: true, wantText: "Nothing is shown: check the first day"},
	{name: "no fork", mayFail: true, keyOwner: "zero", ownMessage: true},
	{name: "no play", wantSuccess: true, keyOwner: "none", noWholeWeek: true},
	{name: "one unfinished play", wantSuccess: true, keyOwner: "one", noWholeWeek: true},
	{name: "a hidden group", groupID: "10b4ffac-4852-4253-8729-c84f6fbf6e70", wantText: "hidden, fewer than 5 members"},
	{name: "a group, suppressed between requests", onlyCSV: true, groupID: "367856ea-0ce4-4434-8f3b-0260cd0f3211",
		answer: hideGroup},
	{name: "a hidden beginning", wantSuccess: true, periodDays: 400, omitsBar: true,
		wantText: "hidden, fewer than 5 members",
		answer:   hideFirstYear},
	{name: "a group", wantSuccess: true, groupID: "367856ea-0ce4-4434-8f3b-0260cd0f3211"},
	{name: "one day", wantSuccess: true, periodDays: 1, noWholeWeek: true},
	{name: "eight days", wantSuccess: true, periodDays: 8, noWholeWeek: true},
	{name: "39 odd names, a play of 170 years", wantSuccess: true, keyOwner: "names"},
	{name: "odd names, LATIN1 locale", mayFail: true, keyOwner: "names", needsLocales: true,
		env: []string{"LC_ALL=de_DE.ISO-8859-1", "LANG=de_DE.ISO-8859-1"}},
	{name: "odd names, cp1252 locale", mayFail: true, keyOwner: "names", needsLocales: true,
		env: []string{"LC_ALL=de_DE.CP1252", "LANG=de_DE.CP1252"}},
	{name: "Windows line ends", wantSuccess: true, crlf: true},
	{name: "a stall", mayFail: true, ownMessage: true, forSnippets: true, onlyCSV: true, exportStalls: true},
	{name: "SIGINT", exportStalls: true, interrupted: true},
	{name: "two runs at once", mayFail: true, runsTwice: true},
	{name: "a full disk", mayFail: true, forSnippets: true, onlyCSV: true, diskFull: true},
	{name: "a folder without right", mayFail: true, forSnippets: true, onlyCSV: true, readOnly: true},
}

const minDefaultWait = 4900 * time.Millisecond // five seconds, less the rounding of timers

// recipeProxy forwards to the demo, unless the condition answers.
type recipeProxy struct {
	base, url, redirectURL string
	mu                     sync.Mutex
	condition              condition
	attempts               int
	requestedAt            [2]time.Time // instants of the first two requests
	interrupt              atomic.Value // holds a func()
	waitingRuns            map[string]chan struct{}
	resetSuffix            string       // end of the paths whose responses resetAfter breaks off
	redirectedRequests     atomic.Int32 // requests that followed a redirect
}

func startProxy(base string) (*recipeProxy, error) {
	p := &recipeProxy{base: base}
	for _, endpoint := range []struct {
		url   *string
		serve http.HandlerFunc
	}{
		{&p.url, p.serve},
		{&p.redirectURL, func(http.ResponseWriter, *http.Request) { p.redirectedRequests.Add(1) }},
	} {
		ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		*endpoint.url = "http://" + ln.Addr().String()
		server := &http.Server{Handler: endpoint.serve, ReadHeaderTimeout: 10 * time.Second}
		go func() { _ = server.Serve(ln) }()
	}
	return p, nil
}

func (p *recipeProxy) setCondition(c condition) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.condition = c
	p.attempts, p.requestedAt = 0, [2]time.Time{}
	p.waitingRuns = map[string]chan struct{}{}
	p.redirectedRequests.Store(0)
}

func (p *recipeProxy) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	c := p.condition
	attempt := p.attempts
	if p.attempts++; attempt < len(p.requestedAt) {
		p.requestedAt[attempt] = time.Now()
	}
	p.mu.Unlock()
	r.Header.Set("X-Report", p.resetSuffix)
	r.Header.Set("X-Elsewhere", p.redirectURL[strings.LastIndex(p.redirectURL, ":")+1:])
	request, err := http.NewRequestWithContext(r.Context(), r.Method, p.base+r.URL.RequestURI(), http.NoBody)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"Authorization", "If-None-Match"} {
		if value := r.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set("Accept-Encoding", "identity")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer response.Body.Close()
	whole, err := io.ReadAll(response.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	isExport := strings.HasSuffix(r.URL.Path, "/csv") && r.Method == http.MethodGet
	if isExport && c.runsTwice {
		p.awaitOtherRun(r.URL.Path)
	}
	if isExport && c.exportStalls && response.StatusCode == http.StatusOK {
		p.stall(w, whole, c.interrupted)
		return
	}
	if response.StatusCode == http.StatusOK && c.answer != nil && c.answer(w, r, whole, attempt) {
		return
	}
	copyHeader(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(whole)
}
