package reports

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/jackc/pgx/v5"

	"dg/modules/org"
	"dg/platform/apperr"
)

const (
	allLabelsSQL = `/* reports.labels */
select ordinal::int, coalesce(case when @mode = 'nominative' then display_name end, label) collate "C"
  from players where org_id = @org order by 2`

	// labelsOfPlayersSQL joins: a filter any(@players) would compare each row with each player.
	labelsOfPlayersSQL = `/* reports.labels */
select ordinal::int, coalesce(case when @mode = 'nominative' then display_name end, label) collate "C"
  from unnest(@players::int[]) ordinal join players using (ordinal) where org_id = @org order by 2`

	labelsVersionSQL = `/* reports.labelsVersion */ select version from player_ordinals
 where org_id = @org`
)

// labels has each player's label, or CSV cells, in the order of the query. It is immutable.
type labels struct {
	text     string
	starts   []uint32 // start of each player's part of text; then the end of the last
	ordinals []int32  // ordinals of players; ^ordinal if the text equals the previous player's
}

// label returns the text of the i-th player in the order of the query, "" for -1.
func (l *labels) label(i int32) string {
	if i < 0 {
		return ""
	}
	return l.text[l.starts[i]:l.starts[i+1]]
}

// readLabels requires ascending ordinals. The result may have the labels of other players too.
func (s *snapshot) readLabels(ctx context.Context, ordinals []int32) (*labels, error) {
	if len(ordinals) == 0 {
		return &labels{}, nil
	}
	args := pgx.NamedArgs{"players": ordinals, "mode": string(s.ReportingMode)}
	sql := labelsSQL(ordinals)
	if sql == labelsOfPlayersSQL || s.query.labelCache == nil {
		return s.selectLabels(ctx, sql, args, appendLabel)
	}
	var version int64
	if err := s.conn.QueryRow(ctx, labelsVersionSQL, s.args).Scan(&version); err != nil {
		return nil, fmt.Errorf("reports: version of labels: %w", err)
	}
	key := labelsKey{s.query.OrganisationID, s.ReportingMode}
	if l := s.query.labelCache.get(key, version); l != nil {
		return l, nil
	}
	l, err := s.selectLabels(ctx, sql, args, appendLabel)
	if err == nil {
		s.query.labelCache.put(key, version, l)
	}
	return l, err
}

// labelsSQL returns the query of all labels if it is faster: for many, dense ordinals.
func labelsSQL(ordinals []int32) string {
	if len(ordinals) > 1000 && int(ordinals[len(ordinals)-1]) < 8*len(ordinals) {
		return allLabelsSQL
	}
	return labelsOfPlayersSQL
}

func appendLabel(b []byte, v [][]byte) []byte { return append(b, v[1]...) }

// selectLabels runs sql, whose first column is the ordinal. appendText appends the text of a row v.
func (s *snapshot) selectLabels(
	ctx context.Context, sql string, args pgx.NamedArgs, appendText func(b []byte, v [][]byte) []byte,
) (*labels, error) {
	rows := s.queryRows(ctx, sql, args)
	defer rows.Close()
	var text []byte
	var previous []byte
	l := &labels{starts: []uint32{0}}
	for rows.Next() {
		v := rows.RawValues()
		start := len(text)
		text = appendText(text, v)
		ordinal := int32(binary.BigEndian.Uint32(v[0]))
		if len(l.ordinals) > 0 && bytes.Equal(previous, text[start:]) {
			ordinal = ^ordinal
		}
		previous = text[start:]
		l.starts = append(l.starts, uint32(len(text)))
		l.ordinals = append(l.ordinals, ordinal)
	}
	l.text = string(text)
	return l, apperr.Annotate(rows.Err(), "reports: labels")
}

const (
	maxLabelBytes = 32 << 20    // for all organisations; with GOGC=100 the heap grows by twice as much
	labelTTL      = time.Minute // counts from the last report that confirmed the labels' version
)

// labelCache is an LRU cache of players' labels, of at most maxLabelBytes.
type labelCache struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[labelsKey, *cachedLabels]
	bytes int
}

type labelsKey struct {
	organisationID string
	mode           org.ReportingMode
}

type cachedLabels struct {
	*labels
	version int64 // player_ordinals.version; equal versions prove equal labels
	expiry  *time.Timer
}

func newLabelCache() *labelCache {
	c := &labelCache{}
	// NewLRU fails only for size 0
	c.lru, _ = simplelru.NewLRU(math.MaxInt, func(_ labelsKey, e *cachedLabels) {
		e.expiry.Stop()
		c.bytes -= e.size()
	})
	return c
}

// get returns the labels of the version and extends their expiry, or returns nil.
func (c *labelCache) get(key labelsKey, version int64) *labels {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.lru.Get(key)
	if e == nil || e.version != version {
		return nil
	}
	e.expiry.Reset(labelTTL)
	return e.labels
}

// put evicts the least recently used labels to make space.
func (c *labelCache) put(key labelsKey, version int64, l *labels) {
	if l.size() > maxLabelBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
	for c.bytes += l.size(); c.bytes > maxLabelBytes; {
		c.lru.RemoveOldest()
	}
	e := &cachedLabels{labels: l, version: version}
	e.expiry = time.AfterFunc(labelTTL, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if cached, _ := c.lru.Peek(key); cached == e {
			c.lru.Remove(key)
		}
	})
	c.lru.Add(key, e)
}

// size returns the bytes of the labels, plus a margin for the cache entry.
func (l *labels) size() int { return len(l.text) + 4*cap(l.starts) + 4*cap(l.ordinals) + 512 }
