package publicapi

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/modules/reports"
)

func BenchmarkAppendStats(b *testing.B) {
	s := reports.Statistics{UniquePlayers: 100_000}
	for i := range 100_000 {
		s.Players = append(s.Players, reports.PlayerStat{
			Label: fmt.Sprintf("P-%06d", i), Plays: int64(i % 97), BestScore: reports.Percent(i % 1001), LastPlayedAt: time.UnixMilli(int64(i) * 997).UTC(),
		})
	}
	var read struct {
		Players []struct {
			Label  string    `json:"playerLabel"`
			Last   time.Time `json:"lastPlayedAt"`
			Plays  int64     `json:"plays"`
			Best   float64   `json:"bestScorePercent"`
			Passed bool      `json:"passed"`
		} `json:"players"`
	}
	require.NoError(b, json.Unmarshal(appendStats(s), &read))
	require.Len(b, read.Players, len(s.Players))
	for i, p := range s.Players {
		if r := read.Players[i]; r.Label != p.Label || r.Plays != p.Plays || r.Best != float64(p.BestScore)/10 || !r.Last.Equal(p.LastPlayedAt) {
			b.Fatalf("player %d is %v, not %v", i, r, p)
		}
	}
	for b.Loop() {
		appendStats(s)
	}
}
