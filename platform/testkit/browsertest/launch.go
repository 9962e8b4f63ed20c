package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"

	"github.com/chromedp/chromedp"
)

// started is this process's browser, which ends with the process.
var started = sync.OnceValues(launch)

// keeper runs the browser as its child, and removes the browser's folder when it has ended. The
// browser ends when its pipe (files 3 and 4) closes, which happens with the end of this process.
const keeper = `dir=$1; shift
"$@" &
wait $!
for again in 1 2 3 4 5; do rm -rf "$dir" && break; done`

// launch starts the browser and returns a context of chromedp in which pages can be opened.
func launch() (context.Context, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dg-browsertest-")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(dir),
		chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-crash-reporter", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("mute-audio", true),
		chromedp.Flag("lang", "en-GB"),
		chromedp.Flag("accept-lang", "en-GB"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) {
			cmd.Args = append([]string{"sh", "-c", keeper, "sh", dir, program}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
			// Ctrl-C does not reach it, because it has to clean up
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		}),
	)
	// Neither is cancelled: a browser that is killed leaves its children.
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	browser, _ := chromedp.NewContext(allocator)
	if err := chromedp.Do(browser); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return browser, nil
}

// find finds a browser of the Chromium family.
func find() (string, error) {
	if named := os.Getenv("DG_CHROMIUM"); named != "" {
		return exec.LookPath(named)
	}
	names := []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	}
	if runtime.GOOS == "darwin" {
		home, _ := os.UserHomeDir()
		for _, folder := range []string{"/Applications", filepath.Join(home, "Applications")} {
			for _, app := range []string{"Google Chrome", "Chromium", "Microsoft Edge"} {
				names = append(names, filepath.Join(folder, app+".app", "Contents", "MacOS", app))
			}
		}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New(
		"no Chromium is installed: install the package chromium, or name one in DG_CHROMIUM")
}
