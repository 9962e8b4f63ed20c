package web_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"dg/modules/apikeys"
	"dg/platform/browsertest"
)

func TestZZKeyShots(t *testing.T) {
	dir := os.Getenv("SHOTS")
	if dir == "" {
		t.Skip()
	}
	w := start(t)
	a, empty, low := newOrganisation("halden"), newOrganisation("empty"), newOrganisation("low")
	a.name = "Halden Water"
	low.plan = "team"
	a.withFork()
	w.load(t, a, empty, low)
	set := func(k apikeys.Key, created, used, expires, revoked any) {
		w.exec(t, `update api_keys set created_at = $2, last_used_at = $3, expires_at = $4, revoked_at = $5 where id = $1`, k.ID, created, used, expires, revoked)
	}
	now := time.Now()
	day := 24 * time.Hour
	both := []apikeys.Scope{apikeys.ForksRead, apikeys.ReportsRead}
	set(w.newKey(t, a, "Power BI, learning dashboard", both...), now.Add(-18*day), now, now.Add(72*day), nil)
	set(w.newKey(t, a, "Warehouse, nightly export", both[1]), now.Add(-80*day), now.Add(-7*time.Hour), now.Add(4*day+9*time.Hour), nil)
	set(w.newKey(t, a, "Moodle status widget on the intranet home page of the Western region", both[0]), now.Add(-180*day), now, nil, nil)
	set(w.newKey(t, a, "<b>‮Consultant</b>, اختبار "+"Wolfeschlegelsteinhausenbergerdorff-Wolfeschlegelsteinhausenbergerdorff", both...), now.Add(-200*day), nil, now.Add(20*day), nil)
	set(w.newKey(t, a, "Soon", both...), now.Add(-200*day), nil, now.Add(20*time.Hour), nil)
	set(w.newKey(t, a, "Later", both...), now.Add(-200*day), nil, now.Add(22*day), nil)
	set(w.newKey(t, a, "Power BI (old workspace)", both...), now.Add(-280*day), now.Add(-18*day), nil, now.Add(-18*day))
	set(w.newKey(t, a, "Trial of the reporting tool", both[1]), now.Add(-300*day), now.Add(-218*day), now.Add(-218*day), nil)
	p := browsertest.New(t)
	shots := func(name string) {
		for _, width := range []int{1280, 320} {
			for _, dark := range []bool{false, true} {
				p.Emulate(width, dark)
				p.Screenshot(fmt.Sprintf("%s/%s-%d-%v.png", dir, name, width, dark))
				if p.SidewaysScroll() {
					t.Errorf("%s %d scrolls", name, width)
				}
				if v := p.Axe(); len(v) > 0 {
					t.Errorf("%s %d %v: %v", name, width, dark, v)
				}
			}
		}
		p.Emulate(1280, false)
	}
	signInWith(p, w, a.owner, a.at("/settings/api-keys"))
	p.Click("summary")
	shots("list")
	p.Click("tbody tr:nth-child(2) a.revoke")
	p.WaitFor("dialog[open]")
	shots("dialog")
	p.Press("Escape")
	p.Click(`a:text("Create key")`)
	shots("new")
	p.Click(`label[for="xday"]`)
	shots("new-day")
	p.Fill("#day", "2026-01-02")
	p.Click("main button")
	shots("errors")
	p.Fill("#name", "Tableau, quarterly review")
	p.Click(`label[for="sr"]`)
	p.Click(`label[for="x30"]`)
	p.Eval(`document.querySelector('form.form').addEventListener('formdata', (e) => e.formData.set('day', '2027-01-01'))`, nil)
	p.Click("main button")
	shots("clash")
	p.Click(`label[for="xnever"]`)
	p.Eval(`document.querySelector('#day').value = ''`, nil)
	p.Click("main button")
	shots("created")
	p.Click(`a:text("Done")`)
	p.WaitFor("dialog[open]")
	shots("leave")
	p.Click(`button:text("Leave anyway")`)
	p.WaitFor("table.keys")
	p.Open(p.URL())
	p.Click("tbody tr:first-child a.revoke")
	p.Click("dialog[open] button.danger")
	p.WaitFor(`.note[role=status]`)
	shots("revoked")
	key := w.newKey(t, a, "Another", both...)
	p.Open(a.at("/settings/api-keys/%s/revoke", key.ID))
	shots("revoke")
	p = browsertest.New(t)
	signInWith(p, w, empty.adminPlain, empty.at("/settings/api-keys"))
	shots("no-two-step")
	p = browsertest.New(t)
	signInWith(p, w, empty.owner, empty.at("/settings/api-keys"))
	shots("empty")
	w.exec(t, `update organisations set plan = 'team' where id = $1`, a.id)
	p = browsertest.New(t)
	signInWith(p, w, a.adminPlain, a.at("/settings/api-keys"))
	shots("paused")
}
