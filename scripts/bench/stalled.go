package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/valyala/fasthttp"
)

// Readers of exports that stop reading, beside traffic that goes on at its own pace and one slow reader who does not stop.
const (
	stalledReaders = 500
	stalledAfter   = 4 << 10 // bytes
	stalledBar     = 30 * time.Second
	besideBar      = 2
	besideRounds   = 3
	besideFor      = 15 * time.Second
	listEvery      = 5 * time.Millisecond
	statsEvery     = 100 * time.Millisecond
	slowBlock      = 5 << 10 // every tenth of a second: 50 KB/s
	slowPlays      = 8_000   // of the slow reader's file, about
	smallBuffer    = 16 << 10
)

// stalled measures what others notice of 500 readers that stall, how soon these are gone, and a slow reader beside them.
func (b *bench) stalled(ctx context.Context) error {
	ring, err := b.ring(ctx, b.main.IDs.Organisation.String(), mainKeys)
	if err != nil {
		return err
	}
	slow := b.last(&b.main, max(1, slowPlays*setDays/b.main.Plays))
	if b.main.Plays > slowPlays*setDays { // a day would be too much
		slow = b.last(&b.main, 366).of(0)
	}
	body, err := b.ask(ctx, ring, slow)
	if err != nil {
		return err
	}
	whole, err := take(body, io.Copy)
	if err != nil {
		return err
	}
	if _, err := b.beside(ctx, ring, besideFor/5); err != nil { // warms caches
		return err
	}
	var lists, figures [2]sample
	var gone []float64
	refused := 0
	for range besideRounds {
		alone, err := b.beside(ctx, ring, besideFor)
		if err != nil {
			return err
		}
		if body, err = b.ask(ctx, ring, slow); err != nil { // it has its place before the crowd comes
			return err
		}
		slowly := make(chan error, 1)
		go func() {
			got, err := take(body, trickle)
			if err == nil && got != whole {
				err = fmt.Errorf("it read %d bytes of %d, or others", got.bytes, whole.bytes)
			}
			slowly <- err
		}()
		crowd := b.stall(ctx, ring)
		crowded, err := b.beside(ctx, ring, besideFor)
		crowd.stop()
		var took []float64
		if err = errors.Join(err, <-slowly); err == nil {
			took, err = b.goneAfter(ctx, crowd)
		}
		if err = errors.Join(err, crowd.leave()); err != nil {
			return fmt.Errorf("beside stalled readers: %w", err)
		}
		gone, refused = append(gone, took...), refused+crowd.refused
		for i, t := range []traffic{crowded, alone} {
			lists[i], figures[i] = append(lists[i], []float64{t.lists}), append(figures[i], []float64{t.stats})
		}
	}
	b.atMost(fmt.Sprintf("fork list beside %d stalled exports, 99th percentile; limit: without them", stalledReaders), lists[0], lists[1], besideBar)
	b.atMost(fmt.Sprintf("statistics, 30 days, beside %d stalled exports, 99th percentile; limit: without them", stalledReaders), figures[0], figures[1], besideBar)
	b.within("stalled exports: until each has ended", one(gone...), milliseconds(stalledBar), inMilliseconds)
	b.notes = append(b.notes,
		fmt.Sprintf("of %d readers in each of %d rounds, %d in all were given an export and stalled; the others were answered 503 with Retry-After %d times, and came again; beside them went %d fork lists and %d statistics a second",
			stalledReaders, besideRounds, len(gone), refused, time.Second/listEvery, time.Second/statsEvery),
		fmt.Sprintf("beside the stalled readers, a reader at %d KB a second got its whole file each time: %d bytes and %d rows, equal to the byte", 10*slowBlock>>10, whole.bytes, whole.rows))
	return nil
}

// file is what is compared of a downloaded file.
type file struct {
	bytes, rows int
	hash        [sha256.Size]byte
}

// ask begins to download an export.
func (b *bench) ask(ctx context.Context, ring *keyRing, q query) (io.ReadCloser, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: dialSmall}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+b.server.addr+q.exportPath(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", ring.header())
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("export: status %d", response.StatusCode)
	}
	return response.Body, nil
}

// take reads an export to its end, in one way of reading.
func take(body io.ReadCloser, read func(io.Writer, io.Reader) (int64, error)) (f file, err error) {
	defer body.Close()
	var text bytes.Buffer
	if _, err := read(&text, body); err != nil {
		return f, fmt.Errorf("export broke off after %d bytes: %w", text.Len(), err)
	}
	return file{text.Len(), bytes.Count(text.Bytes(), []byte("\n")) - 1, sha256.Sum256(text.Bytes())}, nil
}

// trickle copies 50 KB a second.
func trickle(w io.Writer, r io.Reader) (n int64, err error) {
	for tick := time.Tick(100 * time.Millisecond); ; <-tick {
		block, err := io.CopyN(w, r, slowBlock)
		n += block
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// dialSmall connects as another host with little memory would: a file is not to lie in this machine's kernel.
func dialSmall(ctx context.Context, network, addr string) (net.Conn, error) {
	dialer := net.Dialer{Control: remoteSegment}
	conn, err := dialer.DialContext(ctx, network, addr)
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		err = tcp.SetReadBuffer(smallBuffer)
	}
	return conn, err
}

// traffic is what others noticed: the 99th percentile of each kind of request, in milliseconds.
type traffic struct{ lists, stats float64 }

// beside asks for fork lists and statistics at a steady rate, whether earlier ones are answered or not, and measures each
// from the moment at which it was due.
func (b *bench) beside(ctx context.Context, ring *keyRing, lasting time.Duration) (t traffic, err error) {
	ctx, stop := context.WithTimeout(ctx, lasting)
	defer stop()
	client := &fasthttp.HostClient{Addr: b.server.addr, MaxConns: 256, MaxIdemponentCallAttempts: 1, ReadBufferSize: 64 << 10}
	defer client.CloseIdleConnections()
	month := b.last(&b.main, 30)
	var kinds sync.WaitGroup
	var errs [2]error
	for i, k := range []struct {
		path  string
		every time.Duration
		p99   *float64
	}{{"/api/v1/forks", listEvery, &t.lists}, {month.statsPath(), statsEvery, &t.stats}} {
		kinds.Go(func() { *k.p99, errs[i] = steadily(ctx, client, k.path, ring, k.every) })
	}
	kinds.Wait()
	return t, errors.Join(errs[:]...)
}

func steadily(ctx context.Context, client *fasthttp.HostClient, path string, ring *keyRing, every time.Duration) (float64, error) {
	var mu sync.Mutex
	var took []float64
	var failed error
	var asked sync.WaitGroup
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for due := time.Now(); ctx.Err() == nil; due = due.Add(every) {
		for time.Now().Before(due) && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-ticks.C:
			}
		}
		asked.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			err := get(client, path, ring.header(), &request, &response)
			mu.Lock()
			defer mu.Unlock()
			took, failed = append(took, milliseconds(time.Since(due))), errors.Join(failed, err)
		})
	}
	asked.Wait()
	slices.Sort(took)
	return took[int(math.Ceil(0.99*float64(len(took))))-1], failed
}

// crowd are the stalled readers of one round.
type crowd struct {
	stop func() // ends their asking
	all  sync.WaitGroup

	mu      sync.Mutex
	name    string // how their request ids begin
	conns   []net.Conn
	stalled map[string]time.Time // by request id: since when
	refused int
	failed  error
}

// leave ends the crowd, readers that stall included, and returns what has failed.
func (c *crowd) leave() error {
	c.stop()
	c.all.Wait()
	for _, conn := range c.conns {
		conn.Close()
	}
	return c.failed
}

// stall lets all readers ask for the longest export at once, read its beginning and then no more. Those who are refused ask
// again when they were told to, so that the places of those who were thrown out are stalled again. It returns when each has
// had an answer.
func (b *bench) stall(ctx context.Context, ring *keyRing) *crowd {
	ctx, stop := context.WithCancel(ctx)
	c := &crowd{stop: stop, name: "bench-stalled-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-", stalled: map[string]time.Time{}}
	q := b.last(&b.main, 366)
	var answered sync.WaitGroup
	answered.Add(stalledReaders)
	for i := range stalledReaders {
		c.all.Go(func() {
			first := sync.OnceFunc(answered.Done)
			defer first()
			for try := 0; ctx.Err() == nil; try++ {
				again, err := b.stallOne(c, q, ring.header(), fmt.Sprintf("%s%d-%d", c.name, i, try))
				if err != nil {
					c.mu.Lock()
					c.failed = errors.Join(c.failed, err)
					c.mu.Unlock()
				}
				if again == 0 {
					return
				}
				first()
				select {
				case <-ctx.Done():
				case <-time.After(again):
				}
			}
		})
	}
	answered.Wait()
	return c
}

// stallOne is one reader's asking: it is given an export and stalls, or is told when to come again.
func (b *bench) stallOne(c *crowd, q query, authorization, id string) (again time.Duration, err error) {
	conn, err := dialSmall(context.Background(), "tcp", b.server.addr)
	if err != nil {
		return 0, err
	}
	_ = conn.SetReadDeadline(time.Now().Add(stalledBar))
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nX-Request-Id: %s\r\n\r\n", q.exportPath(), b.server.addr, authorization, id)
	var response *http.Response
	if err == nil {
		response, err = http.ReadResponse(bufio.NewReaderSize(conn, stalledAfter), nil) //nolint:bodyclose // to close it is to read on
	}
	if err != nil {
		conn.Close()
		return 0, fmt.Errorf("reader %s: %w", id, err)
	}
	if response.StatusCode == http.StatusOK {
		_, err = io.CopyN(io.Discard, response.Body, stalledAfter)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.conns, c.stalled[id] = append(c.conns, conn), time.Now()
		return 0, err
	}
	conn.Close()
	wait, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if response.StatusCode != http.StatusServiceUnavailable || err != nil || wait < 1 {
		return 0, fmt.Errorf("reader %s: status %d is neither an export nor a 503 that says when to come again: %w", id, response.StatusCode, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused++
	again = time.Duration(wait) * time.Second
	return again + rand.N(again), nil // they do not all come in the same moment
}

// goneAfter waits for the end of every stalled export and returns how long each had stalled by then, in milliseconds. The
// audit log says it; the readers, who do not read, would not hear it.
func (b *bench) goneAfter(ctx context.Context, c *crowd) ([]float64, error) {
	c.all.Wait()
	for deadline := time.Now().Add(stalledBar); ; {
		rows, err := b.reads.Query(ctx, `/* bench.stalled */ select request_id, at from audit_entries
			where org_id = $1 and action = 'export.finished' and starts_with(request_id, $2)`, b.main.IDs.Organisation, c.name)
		if err != nil {
			return nil, err
		}
		var took []float64
		var id string
		var at time.Time
		if _, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
			took = append(took, milliseconds(at.Sub(c.stalled[id])))
			return nil
		}); err != nil {
			return nil, err
		}
		if len(took) == len(c.stalled) {
			return took, nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%d of %d stalled exports have ended", len(took), len(c.stalled))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
