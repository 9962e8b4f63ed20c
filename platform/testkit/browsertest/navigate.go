package browsertest

import (
	"context"
	"errors"
	"net/url"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Open goes to an address, absolute or relative to the page's, and waits until all of it is loaded.
// Files may come from the cache: see ClearCache.
func (p *Page) Open(address string) {
	p.t.Helper()
	base, err := url.Parse(p.lastAddress())
	if err == nil {
		base, err = base.Parse(address)
	}
	if err != nil {
		p.fail("open "+address, err)
	}
	result := call(p, "open "+address, page.Navigate, page.NavigateParams{URL: base.String()})
	// A download or a response without content leaves the page where it is.
	if result.ErrorText != "" && result.ErrorText != "net::ERR_ABORTED" {
		p.fail("open "+address, errors.New(result.ErrorText))
	}
	p.settle("open " + address)
}

// Path returns the page's path and query.
func (p *Page) Path() string {
	p.t.Helper()
	return value[string](p, "location.pathname + location.search")
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.perform("reload", chromedp.Reload())
}

// Back goes one page back in the history.
func (p *Page) Back() {
	p.t.Helper()
	// chromedp.NavigateBack waits for a load event, which a page from the back/forward cache does
	// not have.
	history := call(p, "read the history", page.GetNavigationHistory, cdp.Empty{})
	entry := page.NavigateToHistoryEntryParams{EntryID: history.Entries[history.CurrentIndex-1].ID}
	p.perform("go back", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.NavigateToHistoryEntry, entry)
		return err
	}))
}

// ClearCache makes the next load as heavy as a first visit.
func (p *Page) ClearCache() {
	p.t.Helper()
	call(p, "clear the cache", network.ClearBrowserCache, cdp.Empty{})
}
