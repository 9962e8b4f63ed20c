package commands

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/coreos/go-systemd/v22/daemon"

	"dg/app/assembly"
	"dg/app/demo"
	"dg/app/doctor"
	"dg/platform/apperr"
	"dg/platform/config"
	"dg/platform/telemetry"
)

type serveCmd struct {
	config.Serve
	Demo bool `help:"Load the demo organisations first if the database is empty, and print a working demo key."`
}

func (serveCmd) Help() string {
	return "A variable of a secret may name a file instead: DG_DATABASE_URL_FILE, " +
		"DG_MIGRATE_DATABASE_URL_FILE, DG_DATABASE_REPLICA_URLS_FILE, DG_SECRET_KEY_FILE, " +
		"DG_SECRET_KEY_PREVIOUS_FILE. OTEL_EXPORTER_OTLP_ENDPOINT, and OpenTelemetry's other " +
		"variables, send traces. PG_BIN is the folder of PostgreSQL's programs, for the embedded " +
		"server."
}

// Run drops root's privileges only after it listens, because ports below 1024 may need root.
func (c serveCmd) Run(ctx context.Context, stdio Stdio) error {
	base, _ := c.Base() // "" if the URL is invalid, because it may contain a password
	stdio.log.Info("dg starts", "version", version, "base_url", base)
	if c.Demo && !c.LoopbackOnly() {
		return demo.ErrNotLoopback
	}
	installation := doctor.Installation{Serve: c.Serve, OnResult: stdio.logWarning,
		UnknownVariables: stdio.unknownVariables}
	if err := installation.Run(ctx, doctor.MachineChecks); err != nil {
		return err
	}
	db, err := openDatabase(ctx, &installation, stdio)
	if err != nil {
		return err
	}
	defer db.release()
	mainListener, err := listen(ctx, "DG_ADDR", c.Addr)
	if err != nil {
		return err
	}
	defer mainListener.Close()
	opsListener, err := listen(ctx, "DG_OPS_ADDR", c.OpsAddr)
	if err != nil {
		return err
	}
	defer opsListener.Close()
	stdio.log.Info("dg listens", "address", mainListener.Addr().String(), "operations", opsListener.Addr().String())
	tuneRuntime()
	db.dropPrivileges()
	c.Addr = mainListener.Addr().String() // replaces port 0 by the port that was chosen
	greeting, err := c.greeting(ctx, db, stdio)
	if err != nil {
		return err
	}
	tracer, flush, err := telemetry.NewTracer(ctx, version, stdio.log)
	if err != nil {
		return err
	}
	defer flush()
	settings := c.settings(db, stdio.log)
	settings.Tracer = tracer
	program, err := assembly.New(ctx, settings)
	if err != nil {
		return err
	}
	defer program.Close()
	defer context.AfterFunc(ctx, func() { tellSystemd(stdio.log, daemon.SdNotifyStopping) })()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		cancel(telemetry.ServeOps(ctx, opsListener, telemetry.OpsHandler(program.Metrics, c.OpsAddr)))
	}()
	if db.server != nil {
		go func() { cancel(db.watch(ctx)) }()
	}
	return serve(ctx, program, mainListener, func() {
		fmt.Fprint(stdio.Stdout, greeting)
		tellSystemd(stdio.log, daemon.SdNotifyReady)
	})
}

// logWarning logs a check's warning. It skips failures, which Installation.Run returns.
func (stdio Stdio) logWarning(v doctor.Verdict, check, message string) {
	if v == doctor.Warning {
		stdio.log.Warn(message, "check", check)
	}
}

// tellSystemd sends a state to systemd if NOTIFY_SOCKET is set.
func tellSystemd(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd could not be notified", "error", err)
	}
}

func openDatabase(ctx context.Context, installation *doctor.Installation, stdio Stdio) (*database, error) {
	defer installation.Close()
	db, err := connect(ctx, installation.Database, true, stdio.log)
	if err != nil {
		return nil, err
	}
	installation.ServingURL = db.servingURL
	if err := db.prepare(ctx, installation); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

// prepare migrates, encrypts two-step secrets and runs the checks of schema and serving role.
func (db *database) prepare(ctx context.Context, installation *doctor.Installation) error {
	if err := db.migrate(ctx, installation); err != nil {
		return err
	}
	if err := db.encrypt(ctx, installation.Secrets, false); err != nil {
		return err
	}
	return installation.Run(ctx, doctor.SchemaChecks, doctor.ServingChecks)
}

// settings ignores the errors of flags, which MachineChecks have reported.
func (c serveCmd) settings(db *database, log *slog.Logger) assembly.Settings {
	base, _ := c.Base()
	contact, _ := c.Contact()
	return assembly.Settings{
		ServingURL:        db.servingURL,
		Replicas:          c.Replicas(),
		MaxRequestConns:   c.PoolRequests,
		BaseURL:           base,
		Operator:          contact,
		Proxies:           c.TrustedProxies,
		Keyring:           db.keyring,
		Logger:            log,
		Version:           version,
		ShutdownDelay:     c.ShutdownDelay,
		UnreadableSecrets: db.unreadableSecrets,
	}
}

func (c serveCmd) greeting(ctx context.Context, db *database, stdio Stdio) (string, error) {
	base, _ := c.Base()
	servingLine := fmt.Sprintf("Serving on %s\n", base)
	if !c.Demo {
		return servingLine, nil
	}
	demoGreeting, err := db.loadDemo(ctx, stdio, base)
	return servingLine + demoGreeting, err
}

func serve(ctx context.Context, program *assembly.Program, ln net.Listener, ready func()) error {
	workCtx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { program.RunBackground(workCtx) })
	defer func() {
		cancel()
		background.Wait()
	}()
	err := program.Serve(ctx, ln, ready)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(cause, err)
	}
	return err
}

// tcpSegmentSize is the usual TCP payload of an Ethernet frame. A proxy's receive window opens by
// whole segments: on loopback by 64 KB, which slow clients may not read within the write deadline.
const tcpSegmentSize = 1448

func setMaxSegmentSize(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		// ignored: without the limit, only slow readers may time out
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, tcpSegmentSize)
	})
}

func listen(ctx context.Context, setting, address string) (net.Listener, error) {
	listenConfig := net.ListenConfig{Control: setMaxSegmentSize}
	ln, err := listenConfig.Listen(ctx, "tcp", address)
	return ln, apperr.Annotate(err, "set "+setting+" to a free address")
}

const (
	// threadsPerProcessor leaves a thread free to poll the network while requests compute. With one
	// thread per processor, Go may poll only every 10 ms.
	threadsPerProcessor = 2
	// gcPercent is GOGC, twice the default: collections, which delay small requests, are rarer. Most
	// garbage is from large responses.
	gcPercent = 200
	// memoryLimit is GOMEMLIMIT in bytes. Near this limit, Go collects garbage more often.
	memoryLimit = 200 << 20
)

func tuneRuntime() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * runtime.GOMAXPROCS(0))
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}
