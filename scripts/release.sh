#!/bin/sh
# Builds a release into dist/: archives for Linux and macOS, deb and rpm, an SBOM of each binary, and checksums. It signs the
# checksums if SIGNING_KEY names a gpg key.
# The build is reproducible: two runs on one commit give equal bytes. It needs GNU tar.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ] || "$(git rev-parse --is-shallow-repository)"; then
	echo "A release needs a whole clone without uncommitted changes: commit or stash them, and git fetch --unshallow --tags." >&2
	exit 1
fi
# Package versions never decrease. An untagged commit gets a pre-release of the coming version with the number of commits,
# 1.0.0-dev.315.g21b2600, which packages write as 1.0.0~dev.315…: it sorts below 1.0.0. The coming version is the newest of
# the changelog, or the patch after it if that is tagged.
last=$(sed -n 's/^## \([0-9][0-9.]*\) .*/\1/p' CHANGELOG.md | head -n 1)
if git rev-parse -q --verify "refs/tags/v$last" >/dev/null; then
	next=${last%.*}.$((${last##*.} + 1))
else
	next=$last
fi
count=$(git rev-list --count HEAD).g$(git rev-parse --short HEAD)
VERSION=${VERSION:-$(git describe --tags --exact-match 2>/dev/null || echo "$next-dev.$count")}
VERSION=${VERSION#v}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) # nfpm uses it for file times
export VERSION SOURCE_DATE_EPOCH

# Without -n go would build the tool for the system of GOOS.
sbom=$(go tool -modfile=scripts/tools/go.mod -n cyclonedx-gomod)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf dist
scripts/documents.sh "$PWD/dist/doc"
find dist/doc -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64; do
	os=${target%/*} ARCH=${target#*/}
	name=dg_${VERSION}_${os}_$ARCH
	BINARY=dist/$name/dg
	export ARCH BINARY
	echo "Building $name."
	CGO_ENABLED=0 GOOS=$os GOARCH=$ARCH go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X dg/app/commands.version=$VERSION" -o "$BINARY" ./app
	cp -r dist/doc/. "dist/$name/"
	GOOS=$os GOARCH=$ARCH "$sbom" bin -json -std -noserial -notimestamp \
		-licenses -assert-licenses -version "$VERSION" -output "dist/$name.sbom.json" "$BINARY" 2>"$log" ||
		{ cat "$log" >&2 && exit 1; } # it always warns about dg itself, which is not a public module
	if [ "$os" = linux ]; then
		for format in deb rpm; do
			echo "Packing $name.$format."
			go tool -modfile=scripts/tools/go.mod nfpm package -f configs/deploy/nfpm.yaml -p $format -t "dist/$name.$format" >/dev/null
		done
	fi
	tar -C dist --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw -cf "dist/$name.tar" "$name"
	gzip -n9 "dist/$name.tar" # not a pipe, which would hide a failure of tar
	rm -r "dist/$name"
done
rm -r dist/doc
sums=$(cd dist && sha256sum -- *)
echo "$sums" >dist/SHA256SUMS
# SIGNING_KEY names the releaser's gpg key. The public key is published separately from the release.
if [ -n "${SIGNING_KEY:-}" ]; then
	echo "Signing the checksums."
	gpg --batch --yes --local-user "$SIGNING_KEY" --armor --detach-sign dist/SHA256SUMS
fi
echo "dist/SHA256SUMS:"
cat dist/SHA256SUMS
