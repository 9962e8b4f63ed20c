package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// outputFile is a new file that only its owner reads. It has another name in its folder until it is complete and on the disk.
type outputFile struct {
	*os.File
	path string
}

// createOutput begins a file. It fails where the path is taken: nothing is ever overwritten.
func createOutput(path string) (*outputFile, error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.incomplete")
	return &outputFile{f, path}, err
}

func vacant(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s exists already: name another file", path))
	}
	return nil
}

// Complete gives the file its name. After an error there is no file.
func (f *outputFile) Complete() error {
	err := errors.Join(f.Sync(), f.Close(), vacant(f.path))
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	folder, err := os.Open(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// Discard removes an incomplete file.
func (f *outputFile) Discard() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
