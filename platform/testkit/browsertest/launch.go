package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/chromedp/chromedp"
)

var sharedBrowser = sync.OnceValues(launch)

// cleanupScript runs the browser as its child, and then removes the browser's folder. The browser ends
// when its pipe (files 3 and 4) closes, which happens when this process ends.
const cleanupScript = `dir=$1; shift
"$@" &
wait $!
for again in 1 2 3 4 5; do rm -rf "$dir" && break; done`

func launch() (context.Context, error) {
	dir, err := os.MkdirTemp("", "dg-browsertest-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserDataDir(dir),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("accept-lang", "en-GB"),
		// Without this flag Chromium drops a click before the first frame of a loaded page.
		chromedp.Flag("allow-pre-commit-input", true),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.Args = append([]string{"sh", "-c", cleanupScript, "sh", dir, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
			// Ctrl-C must not reach the script, which has to clean up
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		}),
	)
	headlessShell, _ := exec.LookPath("chromium-headless-shell") // chromedp does not know this name
	if program := cmp.Or(os.Getenv("DG_CHROMIUM"), headlessShell); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	// Neither context is cancelled, because a killed browser leaves its child processes.
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(browser); err != nil {
		_ = os.Remove(dir)
		return nil, fmt.Errorf("start Chromium, which DG_CHROMIUM may name: %w", err)
	}
	return browser, nil
}
