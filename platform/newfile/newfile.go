// Package newfile writes files that appear whole or not at all, and overwrite nothing.
package newfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a new file that only its owner reads. It has another name in its folder until it is
// complete and on the disk.
type File struct {
	*os.File
	path string
}

// Create begins a file. It fails if the path is taken: no file is ever overwritten.
func Create(path string) (*File, error) {
	if err := vacant(path); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.incomplete")
	return &File{f, path}, err
}

func vacant(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, errTaken(path))
	}
	return nil
}

// Complete gives the file its name, unless another process has taken it. After an error there is no
// file, except if syncing the folder failed: the file is then complete, but a power cut may remove
// it.
func (f *File) Complete() error {
	err := errors.Join(f.Sync(), f.Close())
	if err == nil {
		err = f.publish()
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

// publish renames the file and, unlike os.Rename, fails if the name is taken. On a file system
// without hard links it first takes the name with an empty file.
func (f *File) publish() error {
	err := os.Link(f.Name(), f.path)
	switch {
	case err == nil:
		_ = os.Remove(f.Name()) // a second name does no harm
		return nil
	case errors.Is(err, fs.ErrExist):
		return errTaken(f.path)
	}
	place, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return errTaken(f.path)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(place.Close(), os.Rename(f.Name(), f.path)); err != nil {
		return errors.Join(err, os.Remove(f.path))
	}
	return nil
}

func errTaken(path string) error { return fmt.Errorf("%s exists already: name another file", path) }

// Discard removes an incomplete file.
func (f *File) Discard() error { return errors.Join(f.Close(), os.Remove(f.Name())) }
