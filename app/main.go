// Command dg serves the reporting API of DG and manages its database. `dg COMMAND --help` is the
// reference of its commands and settings.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"dg/app/commands"
)

func main() {
	signal.Ignore(syscall.SIGHUP) // dg does not reload, and continues after its terminal closes
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() {
		<-time.After(time.Second) // a supervisor may signal both the process and its group
		stop()                    // a later signal kills dg
	})
	stdio := commands.Stdio{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	status := commands.Run(ctx, os.Args[1:], stdio)
	stop()
	os.Exit(status)
}
