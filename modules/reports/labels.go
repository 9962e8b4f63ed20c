package reports

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"dg/modules/org"
	"dg/platform/apperr"
)

const (
	allLabelsSQL = `/* reports.labels */
select ordinal, case when @mode = 'nominative' then display_name else label end
  from players where org_id = @org`
	labelsOfPlayersSQL = allLabelsSQL + ` and ordinal = any(@players)`

	// labelsVersionSQL returns 0 for an organisation that has never had players.
	labelsVersionSQL = `/* reports.labelsVersion */
select coalesce((select version from player_ordinals where org_id = @org), 0)`
)

// labels has the label, or the cells, of each player. It does not change once read.
type labels struct {
	text  string
	spans []span  // in text, by ordinal; empty for players that were not read
	order []int32 // all ordinals as sort leaves them, or nil
}

type span struct{ from, to uint32 }

// of returns "" for a player that was not read.
func (l *labels) of(ordinal int32) string {
	if int(ordinal) >= len(l.spans) {
		return ""
	}
	s := l.spans[ordinal]
	return l.text[s.from:s.to]
}

// sort sorts ordinals by label. It inverts (^) each whose label equals that of the one before.
func (l *labels) sort(ordinals []int32) {
	type entry struct {
		key     uint64 // decides nearly all comparisons without a look-up
		ordinal int32
	}
	entries := make([]entry, len(ordinals))
	for i, ordinal := range ordinals {
		entries[i] = entry{labelKey(l.of(ordinal)), ordinal}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return strings.Compare(l.of(a.ordinal), l.of(b.ordinal))
	})
	for i, e := range entries {
		ordinals[i] = e.ordinal
		if i > 0 && e.key == entries[i-1].key && l.of(e.ordinal) == l.of(entries[i-1].ordinal) {
			ordinals[i] = ^e.ordinal
		}
	}
}

func (l *labels) keepOrder() {
	l.order = make([]int32, len(l.spans))
	for ordinal := range l.order {
		l.order[ordinal] = int32(ordinal)
	}
	l.sort(l.order)
}

// labelKey is big-endian, so that integers compare as the label's first eight bytes do.
func labelKey(label string) uint64 {
	var b [8]byte
	copy(b[:], label)
	return binary.BigEndian.Uint64(b[:])
}

// readLabels takes ascending ordinals. It may return the labels of other players too.
func (s *snapshot) readLabels(ctx context.Context, players []int32) (*labels, error) {
	if len(players) == 0 {
		return &labels{}, nil
	}
	key := labelsKey{s.query.OrganisationID, s.ReportingMode}
	if s.labelsVersion != 0 {
		if l := s.query.labels.get(key, s.labelsVersion); l != nil {
			return l, nil
		}
	}
	sql := s.labelsSQL(players)
	if sql == labelsOfPlayersSQL {
		return s.selectLabels(ctx, sql, int(players[len(players)-1]), appendLabel)
	}
	l, err := s.selectLabels(ctx, sql, s.lastOrdinal, appendLabel)
	if err == nil && s.labelsVersion != 0 {
		l.keepOrder()
		s.query.labels.put(key, s.labelsVersion, l)
	}
	return l, err
}

// labelsSQL returns a query of all labels where that is faster: for many players with dense ordinals.
func (s *snapshot) labelsSQL(players []int32) string {
	s.args["mode"] = string(s.ReportingMode)
	s.args["players"] = players
	if len(players) > 1000 && int(players[len(players)-1]) < 8*len(players) {
		return allLabelsSQL
	}
	return labelsOfPlayersSQL
}

func appendLabel(b []byte, v [][]byte) []byte { return append(b, v[1]...) }

// selectLabels selects ordinals and the columns from which appendText makes the texts.
func (s *snapshot) selectLabels(
	ctx context.Context, sql string, last int, appendText func(b []byte, v [][]byte) []byte,
) (*labels, error) {
	rows, _ := s.conn.Query(ctx, sql, s.args) // rows.Err returns its error
	defer rows.Close()
	var text []byte
	l := &labels{spans: make([]span, last+1)}
	for rows.Next() {
		v := rows.RawValues()
		from := uint32(len(text))
		text = appendText(text, v)
		l.spans[binary.BigEndian.Uint32(v[0])] = span{from, uint32(len(text))}
	}
	l.text = string(text)
	return l, apperr.Annotate(rows.Err(), "reports: labels")
}

const (
	maxLabelBytes = 64 << 20    // of all organisations
	labelsKept    = time.Minute // without a report that confirms their version
)

// labelCache keeps the labels of players in memory, at most maxLabelBytes.
type labelCache struct {
	mu    sync.Mutex
	used  *simplelru.LRU[labelsKey, *cachedLabels]
	bytes int
}

type labelsKey struct {
	organisationID string
	mode           org.ReportingMode
}

type cachedLabels struct {
	*labels
	version int64 // of player_ordinals, random: equal versions prove equal labels
	expiry  *time.Timer
}

func newLabelCache() *labelCache {
	c := &labelCache{}
	c.used, _ = simplelru.NewLRU(math.MaxInt, func(_ labelsKey, e *cachedLabels) { // fails for size 0
		e.expiry.Stop()
		c.bytes -= e.size()
	})
	return c
}

// get confirms the labels of a version, and returns nil for another version.
func (c *labelCache) get(k labelsKey, version int64) *labels {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, _ := c.used.Get(k)
	if e == nil || e.version != version {
		return nil
	}
	e.expiry.Reset(labelsKept)
	return e.labels
}

// put drops the least recently used labels for which there is no space.
func (c *labelCache) put(k labelsKey, version int64, l *labels) {
	if l.size() > maxLabelBytes {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used.Remove(k)
	for c.bytes += l.size(); c.bytes > maxLabelBytes; {
		c.used.RemoveOldest()
	}
	e := &cachedLabels{labels: l, version: version}
	e.expiry = time.AfterFunc(labelsKept, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if kept, _ := c.used.Peek(k); kept == e {
			c.used.Remove(k)
		}
	})
	c.used.Add(k, e)
}

// size returns the bytes of the labels, with a margin for the entry.
func (l *labels) size() int { return len(l.text) + 8*cap(l.spans) + 4*cap(l.order) + 512 }
