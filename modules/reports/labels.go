package reports

import (
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
	labelsSQL = `/* reports.labels */
select ordinal, case when @mode = 'nominative' then display_name else label end collate "C"
  from players where org_id = @org`
	byLabel            = ` order by 2`
	allLabelsSQL       = labelsSQL + byLabel
	labelsOfPlayersSQL = labelsSQL + ` and ordinal = any(@players)` + byLabel

	// labelsVersionSQL returns 0 for an organisation that has never had players.
	labelsVersionSQL = `/* reports.labelsVersion */
select coalesce((select version from player_ordinals where org_id = @org), 0)`
)

// labels has the label, or the cells, of each player. It does not change once read.
type labels struct {
	text  string
	spans []span  // in text, by ordinal; empty for players that were not read
	order []int32 // ordinals as read; ^ordinal if the text equals that of the one before
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

// sorted returns the ordinals as order has them.
func (l *labels) sorted(ordinals []int32) []int32 {
	slices.SortFunc(ordinals, func(a, b int32) int { return strings.Compare(l.of(a), l.of(b)) })
	for i := len(ordinals) - 1; i > 0; i-- {
		if l.of(ordinals[i]) == l.of(ordinals[i-1]) {
			ordinals[i] = ^ordinals[i]
		}
	}
	return ordinals
}

// readLabels takes ascending ordinals. It may return the labels of other players too.
func (s *snapshot) readLabels(ctx context.Context, players []int32) (*labels, error) {
	if len(players) == 0 {
		return &labels{}, nil
	}
	sql := s.labelsSQL(players)
	if sql == labelsOfPlayersSQL || s.labelsVersion == 0 {
		return s.selectLabels(ctx, sql, appendLabel)
	}
	key := labelsKey{s.query.OrganisationID, s.ReportingMode}
	if l := s.query.labels.get(key, s.labelsVersion); l != nil {
		return l, nil
	}
	l, err := s.selectLabels(ctx, sql, appendLabel)
	if err == nil {
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
	ctx context.Context, sql string, appendText func(b []byte, v [][]byte) []byte,
) (*labels, error) {
	rows, _ := s.conn.Query(ctx, sql, s.args) // rows.Err returns its error
	defer rows.Close()
	var text []byte
	var last span
	l := &labels{spans: make([]span, s.lastOrdinal+1)}
	for rows.Next() {
		v := rows.RawValues()
		text = appendText(text, v)
		next := span{last.to, uint32(len(text))}
		ordinal := int32(binary.BigEndian.Uint32(v[0]))
		l.spans[ordinal] = next
		if len(l.order) > 0 && string(text[last.from:last.to]) == string(text[next.from:]) {
			ordinal = ^ordinal
		}
		l.order = append(l.order, ordinal)
		last = next
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
