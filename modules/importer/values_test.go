package importer

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseScore(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]score{
		"0":         0,
		"-0":        0,
		"0.00":      0,
		"0e999":     0,
		"100":       100_00,
		"1e2":       100_00,
		"1E+2":      100_00,
		"87.5":      8750,
		"87.50":     8750,
		"8.755e1":   8755,
		"8755e-2":   8755,
		"0.01":      1,
		"1e-2":      1,
		"0.29":      29,
		"1.15":      115,
		"4.35":      435,
		"0.00001e3": 1,
		"10.10":     1010,

		"87.550000000000000000000000": 8755,
	} {
		got, ok := parseScore(jsontext.Value(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"0.001", "87.555", "87.5500000000001", "1e-3", "1e-300", "1e999", "-1.5", "-0.01", "100.01",
		"99999999999999999999", "0." + strings.Repeat("0", 300) + "1", `"1"`, "true",
	} {
		_, ok := parseScore(jsontext.Value(text))
		assert.False(t, ok, text)
	}
}

// Each score with two decimals is read exactly.
func TestEveryScoreIsExact(t *testing.T) {
	t.Parallel()
	for want := range score(100_01) {
		text := fmt.Sprintf("%d.%02d", want/100, want%100)
		got, ok := parseScore(jsontext.Value(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-01T09:30:00Z":                "2026-03-01T09:30:00.000Z",
		"2026-03-01t09:30:00z":                "2026-03-01T09:30:00.000Z",
		"2026-03-01T09:30:00.9999Z":           "2026-03-01T09:30:00.999Z", // cut off, not rounded
		"2026-03-01T09:30:00.1Z":              "2026-03-01T09:30:00.100Z",
		"2026-03-01T00:30:00.0019999+01:00":   "2026-02-28T23:30:00.001Z",
		"2025-12-31T23:59:59.999999999-00:30": "2026-01-01T00:29:59.999Z",
		"2024-02-29T00:00:00-00:00":           "2024-02-29T00:00:00.000Z",
		"1969-12-31T23:59:59.0009Z":           "1969-12-31T23:59:59.000Z", // before 1970 as well
	} {
		got, ok := parseTime(jsontext.Value(`"` + text + `"`))
		assert.True(t, ok, text)
		assert.Equal(t, want, got.Format("2006-01-02T15:04:05.000Z07:00"), text)
		assert.Equal(t, time.UTC, got.Location())
	}
	for _, text := range []string{
		"", "2026-03-01", "2026-03-01T09:30Z", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z",
		"2026-3-01T09:30:00Z",
		"2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
		"2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
		"2026-01-01T00:00:00,5Z",
		"2026-01-01T00:00:00.Z", "2026-01-01T00:00:00+0100", "2026-01-01T00:00:00+24:00",
		"2026-01-01T00:00:00+01:60",
		"2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00.5", "0001-01-01T00:00:00+00:01",
		"9999-12-31T23:59:59-00:01",
		"+2026-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "2026-01-01T00:00:00 01:00",
	} {
		_, ok := parseTime(jsontext.Value(`"` + text + `"`))
		assert.False(t, ok, text)
	}
}

func TestValidText(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		" ", "a", strings.Repeat("😀", 200), "=1+1", "<b>", "\u202e\u200f", "\u00a0", "\u2028",
		"\ufffd",
	} {
		assert.True(t, validText(s), "%q", s)
	}
	for _, s := range []string{
		"", strings.Repeat("a", 201), strings.Repeat("😀", 201), "\x00", "a\tb", "a\n", "\x1b[2J",
		"\x7f", "\u0085", "\u009f",
	} {
		assert.False(t, validText(s), "%q", s)
	}
}

func TestShownValuesAreEscaped(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `"\x1b[2J\u202e\""`, quote("\x1b[2J\u202e\""))
	assert.Equal(t, `"مريم"`, quote("مريم"))
	assert.Equal(t, `"`+strings.Repeat("é", 60)+`"…`, quote(strings.Repeat("é", 61)))
	assert.Equal(t, `"`+strings.Repeat("é", 60)+`"`, quote(strings.Repeat("é", 60)))
	assert.Equal(t, `"a\nb"`, fieldName("a\nb"))
	assert.Equal(t, "colour", fieldName("colour"))
}

func TestProgressIsPrintedFiveTimesASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b strings.Builder
		m := meter{report: Printer(&b)}
		m.show(Progress{"f", StepReading, 0})
		m.show(Progress{"f", StepReading, 100})
		time.Sleep(200 * time.Millisecond)
		m.show(Progress{"f", StepReading, 1000})
		m.show(Progress{"f", StepReading, 1001})
		m.show(Progress{"f", StepChecking, 4000})
		require.Equal(t, "\r\x1b[Kf: 0 lines, reading…\r\x1b[Kf: 1000 lines, reading…"+
			"\r\x1b[Kf: 4000 lines, checking…", b.String())
	})
}
