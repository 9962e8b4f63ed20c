package reports_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"dg/platform/testkit/browsertest"
	"dg/web/internal/webtest"
)

// Arrow keys, pointer and touch select a bar, whose values are shown and announced.
func TestChartIsReadByKeysPointerAndTouch(t *testing.T) {
	t.Parallel()
	w, o := webtest.StartAcme(t)
	fork := w.Fork(o)
	w.DB.Players(o.ID, 1)
	for day := range 10 { // on the n-th of March n plays
		w.DB.Plays(fork, day+1, time.Date(2026, 3, 1+day, 9, 0, 0, 0, time.UTC), 0)
	}
	const cursor = ".plot .cursor"
	p := browsertest.New(t)
	read := func(day int, how string) {
		name := time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC).Format("Mon 2 Jan 2006")
		said := fmt.Sprintf("%s, Plays: %d, Completed: %d, Average score: 0.0%%", name, day, day)
		require.Equal(t, said, p.Attr(cursor, "aria-valuetext"), how)
		require.Equal(t, strings.ReplaceAll(said, ",", " ·"), p.Text(".readout"), how)
		require.Equal(t, fmt.Sprint(day), p.Attr(cursor, "aria-valuenow"), how)
		require.Equal(t, fmt.Sprint(100*(day-1)), p.Attr(".plot rect.at", "x"), how)
	}
	webtest.SignInWith(p, w, o.Owner, o.At("/reports/%s?from=2026-03-01&to=2026-03-10", fork.ID))
	require.Empty(t, p.Text(".readout"), "nothing is read yet")

	x, y := p.At(cursor, .35)
	browsertest.Do(p, "point", chromedp.MouseEvent(chromedp.MouseMoved, x, y))
	read(4, "pointer")
	p.Click(cursor)
	p.Press(kb.Home)
	read(1, "Home")
	p.Press(kb.ArrowLeft)
	read(1, "not before the first day")
	p.Press(kb.ArrowRight, kb.ArrowUp)
	read(3, "two days on")
	p.Press(kb.ArrowDown)
	read(2, "one day back")
	p.Press(kb.End, kb.ArrowRight)
	read(10, "not after the last day")
	p.Press(kb.ArrowLeft)
	read(9, "one day back")
	browsertest.Do(p, "touch", chromedp.TapXY(p.At(cursor, .65)))
	read(7, "touch")
}
