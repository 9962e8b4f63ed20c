package main

import "dg/platform/config"

type importCmd struct{ config.Database }
type demoCmd struct{ config.Database }
