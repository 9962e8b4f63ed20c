package commands

import (
	"context"
	"fmt"
	"time"

	"dg/app/demo"
	"dg/app/doctor"
	"dg/modules/apikeys"
	"dg/modules/importer"
	"dg/platform/config"
)

type demoCmd struct {
	config.Database
	config.Address
	config.Secrets
	Print bool `help:"Write the demo to standard output in the import format, without a database."`
}

func (c demoCmd) Run(ctx context.Context, stdio Stdio) error {
	if c.Print {
		return demo.Write(stdio.Stdout, time.Now())
	}
	base, err := c.Base()
	if err != nil {
		return err
	}
	if !c.LoopbackOnly() {
		return demo.ErrNotLoopback
	}
	installation := doctor.Installation{OnResult: stdio.logWarning, Serve: config.Serve{
		Database: c.Database, Address: c.Address, Secrets: c.Secrets,
	}}
	db, err := openDatabase(ctx, &installation, stdio)
	if err != nil {
		return err
	}
	defer db.release()
	greeting, err := db.loadDemo(ctx, stdio, base)
	if err != nil {
		return err
	}
	return stdio.print("%s", greeting)
}

func (db *database) loadDemo(ctx context.Context, stdio Stdio, base string) (string, error) {
	o, err := db.operator(ctx, "dg demo")
	if err != nil {
		return "", err
	}
	defer o.Close()
	empty, err := demo.IsEmpty(ctx, o.Pool)
	if err != nil {
		return "", err
	}
	if empty {
		stdio.log.Info("loading the demo")
		file := importer.Input{Name: "demo", Open: demo.Open}
		if _, err := o.importFiles(ctx, []importer.Input{file}, db.keyring, stdio); err != nil {
			return "", fmt.Errorf("load the demo: %w", err)
		}
	}
	keys := apikeys.New(o.DB, o.orgs, o.auditLog, o.policy, time.Now)
	key, err := demo.RecreateKey(ctx, keys, o.request)
	if err != nil {
		return "", err
	}
	return demo.Greeting(base, key), nil
}
