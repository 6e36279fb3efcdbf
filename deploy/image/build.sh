#!/bin/sh
# Builds the image without a registry, from a Debian root created here. Requires root, buildah and mmdebstrap.
# Usage: build.sh NAME, after "npm ci && npm run build". The Dockerfile does the same from public base images.
set -eu
name=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$here/make-root.sh" "$work/root"
node "$here/../../scripts/run.js" "$here/assemble.ts" "$work/root/app"
container=$(buildah from scratch)
# Keeps the owner of /data. "buildah copy" would make root the owner of everything.
cp -a "$work/root/." "$(buildah mount "$container")/"
buildah umount "$container" > /dev/null
# As in the Dockerfile; tests/image.long.test.ts compares the two.
buildah config \
  --user 10001:10001 \
  --workingdir /app \
  --env NODE_ENV=production --env HOST=0.0.0.0 --env DATA_DIR=/data --env MODELS_DIR=/app/models \
  --env PATH=/app/bin:/usr/bin --env GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
  --volume /data \
  --port 8080 \
  --entrypoint '["/usr/bin/tini","--","node","apps/server/bin/serve.js"]' \
  --healthcheck 'CMD node apps/server/bin/is-healthy.js' --healthcheck-interval 10s --healthcheck-timeout 5s \
  --stop-signal SIGTERM \
  "$container"
# Docker's format, because the OCI format has no health check.
buildah commit -q --rm --format docker --timestamp "${SOURCE_DATE_EPOCH:-0}" "$container" "$name"
