package input_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dg/platform/apperr"
	"dg/platform/input"
)

// Decisions, "Formats": strict YYYY-MM-DD in ASCII digits, a real calendar day, years 2000 to 2199.
func TestDay(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2000-01-01": time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		"2199-12-31": time.Date(2199, 12, 31, 0, 0, 0, 0, time.UTC),
		"2024-02-29": time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		"2000-02-29": time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC),
		"2026-03-01": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
	} {
		got, ok := input.Day(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "1999-12-31", "2200-01-01", "2023-02-29", "2100-02-29", "2024-00-01", "2024-13-01", "2024-01-00", "2024-01-32", "2024-04-31",
		" 2024-01-01", "2024-01-01 ", "2024-01-01\n", "2024-1-01", "2024-01-1", "2024-1-001", "24-01-01", "02024-01-01", "+024-01-01", "-024-01-01",
		"+2024-01-01", "20240101", "2024/01/01", "01-01-2024", "2024-01-01T00:00:00Z", "2024-01-01Z", "2024-W01-1", "2024-001",
		"٢٠٢٤-٠١-٠١", "2024-01-0١", "２０２４-01-01", "2024‐01‐01", "2024-01-0x", "2024-01- 1", "2024- 1-01", "today", "0000-00-00", "2024-01-01\x00",
	} {
		_, ok := input.Day(text)
		require.False(t, ok, "%q", text)
	}
}

func FuzzDay(f *testing.F) {
	for _, seed := range []string{"2024-02-29", "2023-02-29", "2199-12-31", "1999-12-31", "+024-01-01", "٢٠٢٤-٠١-٠١"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		day, ok := input.Day(text)
		if !ok {
			return
		}
		if day.Format("2006-01-02") != text {
			t.Fatalf("Day(%q) = %v", text, day)
		}
		if day.Before(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) || !day.Before(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)) {
			t.Fatalf("Day(%q) is beyond the contract", text)
		}
	})
}

// A text has 1 to 200 characters that are not all blank, and no control character; everything else is data.
func TestIsText(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"a letter":                    {"a", true},
		"blanks around":               {" a ", true},
		"markup":                      {"<script>alert('1')</script>", true},
		"a formula":                   {"=1+1", true},
		"right-to-left marks":         {"\u202eabc\u200f", true},
		"an emoji of several":         {"👩\u200d💻", true},
		"a combining accent":          {"e\u0301", true},
		"punctuation alone":           {"—", true},
		"200 letters":                 {strings.Repeat("a", 200), true},
		"200 letters of three bytes":  {strings.Repeat("€", 200), true},
		"empty":                       {"", false},
		"a blank":                     {" ", false},
		"blanks of other scripts":     {"\u00a0\u2003\u3000", false},
		"characters of no appearance": {"\u200b\ufeff\u2060", false},
		"201 letters":                 {strings.Repeat("a", 201), false},
		"201 with a blank at the end": {strings.Repeat("a", 200) + " ", false},
		"a tab":                       {"a\tb", false},
		"a newline":                   {"a\n", false},
		"NUL":                         {"a\x00", false},
		"DEL":                         {"a\x7f", false},
		"a C1 control":                {"a\u0085b", false},
		"invalid UTF-8":               {"a\xff", false},
		"a surrogate":                 {"a\xed\xa0\x80", false},
	} {
		require.Equal(t, c.want, input.IsText(c.text), name)
	}
}

type form struct {
	Title  string   `json:"title,omitempty" validate:"text"`
	From   string   `json:"from" validate:"day"`
	Until  *string  `json:"until" validate:"omitempty,day"`
	Owner  string   `json:"owner" validate:"required"`
	Scopes []string `json:"scopes" validate:"min=1,unique,dive,oneof=a:read b:read"`
}

// Decisions, "Formats": a message says what to do; it names the field as the sender wrote it.
func TestCheckSaysWhatToDo(t *testing.T) {
	good := func() form {
		return form{Title: "t", From: "2026-03-01", Owner: "o", Scopes: []string{"a:read"}}
	}
	in := good()
	require.NoError(t, input.Check(in))
	require.NoError(t, input.Check(&in))

	for name, c := range map[string]struct {
		spoil          func(*form)
		field, message string
	}{
		"text":     {func(f *form) { f.Title = " " }, "title", "title must be 1 to 200 characters that are not all blank, without control characters."},
		"day":      {func(f *form) { f.From = "yesterday" }, "from", "from must be a day such as 2026-03-01, from 2000-01-01 to 2199-12-31."},
		"no day":   {func(f *form) { f.From = "" }, "from", "from must be a day such as 2026-03-01, from 2000-01-01 to 2199-12-31."},
		"pointer":  {func(f *form) { f.Until = new("x") }, "until", "until must be a day such as 2026-03-01, from 2000-01-01 to 2199-12-31."},
		"required": {func(f *form) { f.Owner = "" }, "owner", "owner is missing. Give it a value."},
		"none":     {func(f *form) { f.Scopes = nil }, "scopes", "scopes needs at least one value."},
		"twice":    {func(f *form) { f.Scopes = []string{"a:read", "a:read"} }, "scopes", "scopes must not name a value twice."},
		"unknown":  {func(f *form) { f.Scopes = []string{"a:read", "%s"} }, "scopes", "scopes holds a value that is not allowed. Allowed are: a:read, b:read."},
		"first":    {func(f *form) { *f = form{} }, "title", "title must be 1 to 200 characters that are not all blank, without control characters."},
	} {
		t.Run(name, func(t *testing.T) {
			in := good()
			c.spoil(&in)
			err := input.Check(in)
			require.True(t, apperr.Is(err, apperr.Validation), "%v", err)
			require.Equal(t, c.field, apperr.From(err).Field)
			require.Equal(t, c.message, apperr.From(err).Message)
		})
	}
}

// A struct's tag that has no sentence, and what is no struct, are mistakes of the program: they are not the sender's.
func TestCheckOfWhatCannotBeChecked(t *testing.T) {
	err := input.Check("text")
	require.Error(t, err)
	require.False(t, apperr.Is(err, apperr.Validation))
	err = input.Check(struct {
		Mail string `json:"mail" validate:"email"`
	}{"x"})
	require.Error(t, err)
	require.False(t, apperr.Is(err, apperr.Validation), "an answer without a sentence")
}
