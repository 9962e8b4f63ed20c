package pgtest

import (
	"context"
	"testing"
	"testing/fstest"
	"time"
)

var files = fstest.MapFS{
	"20260101000000_first.sql": {Data: []byte("-- +goose Up\ncreate table things (id int primary key, name text);\n")},
	"grants.sql":               {Data: []byte("grant select, insert on things to :role;\n")},
}

func TestTry(t *testing.T) {
	for range 5 {
		b := time.Now()
		db := newFrom(t, files)
		t.Log(time.Since(b))
		b = time.Now()
		if _, err := db.DB.Pool.Exec(context.Background(), "insert into things values (1,'a')"); err != nil {
			t.Fatal(err)
		}
	}
}
