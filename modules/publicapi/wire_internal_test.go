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
	players := make([]reports.PlayerStat, 100_000)
	for i := range players {
		players[i] = reports.PlayerStat{
			Label:        fmt.Sprintf("P-%06d", i),
			Plays:        int64(i % 97),
			BestScore:    reports.Percent(i % 1001),
			LastPlayedAt: time.UnixMilli(int64(i) * 997).UTC(),
		}
	}
	s := reports.Statistics{
		UniquePlayers: 100_000,
		Player:        func(i int) reports.PlayerStat { return players[i] },
	}
	var text []byte
	whole := func() {
		pieces := statsPieces(s)
		had := -1
		for text = text[:0]; len(text) > had; text = pieces(text) {
			had = len(text)
		}
	}
	whole()
	var read struct {
		Players []struct {
			Label  string    `json:"playerLabel"`
			Last   time.Time `json:"lastPlayedAt"`
			Plays  int64     `json:"plays"`
			Best   float64   `json:"bestScorePercent"`
			Passed bool      `json:"passed"`
		} `json:"players"`
	}
	require.NoError(b, json.Unmarshal(text, &read))
	require.Len(b, read.Players, len(players))
	for i, p := range players {
		if r := read.Players[i]; r.Label != p.Label || r.Plays != p.Plays ||
			r.Best != float64(p.BestScore)/10 || !r.Last.Equal(p.LastPlayedAt) {
			b.Fatalf("player %d is %v, not %v", i, r, p)
		}
	}
	for b.Loop() {
		whole()
	}
}
