package segment

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"dg/modules/games"
)

// from is the first instant of the days and of the month in these tests.
var from = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func packMonth(plays []Play) Month {
	var players Players
	for _, p := range plays {
		players.AddPlay(&p)
	}
	return PackMonth(from.UnixMilli(), &players, slices.Clone(plays))
}

func unpackBlocks(m Month, isMember func(int32) bool, a *Accumulator) error {
	tail := reader{b: m.Tail}
	for _, size := range m.BlockBytes {
		if err := UnpackMembers(from.UnixMilli(), tail.take(uint64(size)), isMember, a); err != nil {
			return err
		}
	}
	if !tail.intactAtEnd() {
		return ErrDamaged
	}
	return nil
}

// playsGenerator generates plays, many of the same player, that start on the given number of days.
func playsGenerator(days int) *rapid.Generator[[]Play] {
	return rapid.SliceOf(rapid.Custom(func(t *rapid.T) Play {
		p := Play{
			StartedAt: from.UnixMilli() + rapid.Int64Range(0, int64(days)*day.Milliseconds()-1).Draw(t, "at"),
			Player:    rapid.OneOf(rapid.Int32Range(1, 9), rapid.Int32Range(1, 3*BlockPlayers)).Draw(t, "player"),
			Completed: rapid.Bool().Draw(t, "completed"),
			Answers:   rapid.SliceOf(rapid.ByteRange(0, 2*byte(games.SkillCount)-1)).Draw(t, "answers"),
		}
		if p.Completed {
			p.Score = rapid.Int16Range(0, 10_000).Draw(t, "score")
			p.Passed = rapid.Bool().Draw(t, "passed")
		}
		return p
	}))
}

// A packed day returns its plays, ordered by player and start, and their sums. Read as another date's, it is damaged.
// The bytes do not depend on the order of plays, even of two that differ only in their answers.
func TestPackedDayReturnsItsPlays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plays := playsGenerator(1).Draw(t, "plays")
		packed := PackDay(from.UnixMilli(), plays)
		var sums Sums
		var passed, score int64
		var got []Play
		require.NoError(t, UnpackDay(from.UnixMilli(), packed.Head, packed.Tail, nil, func(p *Play) {
			sums.add(p)
			score += int64(p.Score)
			if p.Passed {
				passed++
			}
			copied := *p
			copied.Answers = slices.Clone(p.Answers)
			got = append(got, copied)
		}))
		require.Zero(t, slices.CompareFunc(plays, got, comparePlays))
		stored, err := UnpackSums(from.UnixMilli(), packed.Sums.Pack(from.UnixMilli()))
		require.NoError(t, err)
		require.Equal(t, []Sums{sums, sums}, []Sums{packed.Sums, stored})
		require.Equal(t, []int64{int64(len(plays)), score, passed}, []int64{sums.Plays, sums.ScoreSum, sums.Passed})
		require.ErrorIs(t, UnpackDay(from.Add(day).UnixMilli(), packed.Head, packed.Tail, nil, nil), ErrDamaged)
	})
	a, b := Play{Player: 1, Answers: []byte{1}}, Play{Player: 1, Answers: []byte{2}}
	require.Equal(t, PackDay(0, []Play{a, b}), PackDay(0, []Play{b, a}))
}

// doc.go, Invariants: a month's head and blocks give the same sums as the plays, also with numbers of two bytes: 300
// plays of a player, and an ordinal 300 above the previous one. Equal plays give equal bytes.
func TestPackedMonthReturnsTheSumsOfMembers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plays := playsGenerator(31).Draw(t, "plays")
		if rapid.Bool().Draw(t, "busy") {
			start := from.UnixMilli()
			plays = append(plays, slices.Repeat([]Play{{Player: 4, StartedAt: start}}, 300)...)
			plays = append(plays, Play{Player: 304, StartedAt: start})
		}
		packed := packMonth(plays)
		slices.Reverse(plays)
		require.Equal(t, packed, packMonth(plays))
		divisor := rapid.Int32Range(1, 4).Draw(t, "every")
		isMember := func(ordinal int32) bool { return ordinal%divisor == 0 }
		want := NewAccumulator(from.Add(-day), 33)
		got := NewAccumulator(from.Add(-day), 33)
		var all, players Players
		for _, p := range plays {
			all.AddPlay(&p)
			if isMember(p.Player) {
				want.AddPlay(&p)
			}
		}
		require.NoError(t, UnpackMonth(from.UnixMilli(), packed.Head, &players))
		require.Equal(t, all, players)
		require.NoError(t, unpackBlocks(packed, isMember, got))
		require.Equal(t, []any{want.Total, want.Days, want.Players.Count()},
			[]any{got.Total, got.Days, got.Players.Count()})
		want.Players.Each(func(ordinal int32, s PlayerSum) { require.Equal(t, s, got.Players.Get(ordinal)) })
	})
}

// Segments keep the sums of each skill, whether its numbers fit into one byte or not.
func TestSegmentsKeepTheAnswersToEachSkill(t *testing.T) {
	for skill := range games.SkillSpace {
		for attempts := range int64(6) {
			for correct := range attempts + 1 {
				var want, got Sums
				want.Skills[0] = SkillSums{Attempts: 1, Correct: 1}
				want.Skills[skill] = SkillSums{attempts + 1, correct + 1}
				r := reader{b: want.appendSkills(nil)}
				r.readSkills(&got)
				require.False(t, r.damaged)
				require.Equal(t, want, got)
			}
		}
	}
}

// doc.go, Invariants: a month's head or block with a wrong byte, or cut anywhere, gives ErrDamaged.
func TestDamagedMonthIsRefused(t *testing.T) {
	plays := make([]Play, 40)
	for i := range plays {
		plays[i] = Play{
			StartedAt: from.Add(time.Duration(i%31) * day).UnixMilli(), Player: 1 + int32(i%5), Completed: i%5 > 0,
			Score: int16(i % 5 * 2000), Answers: slices.Repeat([]byte{byte(i % 7), 3}, 1+i%20),
		}
	}
	packed := packMonth(plays)
	isMember := func(int32) bool { return true }
	for _, part := range []struct {
		name           string
		b              []byte
		checksumOffset int
		unpack         func(b []byte) error
	}{
		{"head", packed.Head, 1, func(b []byte) error { return UnpackMonth(from.UnixMilli(), b, new(Players)) }},
		{"block", packed.Tail, 0, func(b []byte) error {
			return UnpackMembers(from.UnixMilli(), b, isMember, NewAccumulator(from, 31))
		}},
	} {
		require.NoError(t, part.unpack(part.b), part.name)
		for i := range part.b {
			damaged := slices.Clone(part.b)
			damaged[i] ^= 0x10
			require.ErrorIs(t, part.unpack(damaged), ErrDamaged, "%s %d", part.name, i)
			require.ErrorIs(t, part.unpack(part.b[:i]), ErrDamaged, "%s %d", part.name, i)
			putChecksum(damaged, part.checksumOffset, from.UnixMilli())
			_ = part.unpack(damaged) // a wrong byte with a correct checksum does not panic
		}
	}
	unknownSkill := reader{b: append(binary.AppendUvarint([]byte{largeSkill}, games.SkillSpace), 1, 1)}
	unknownSkill.readSkills(&Sums{})
	require.True(t, unknownSkill.damaged, "no skill has this number")
}
