#!/bin/sh
# Makes the root of the image: Debian's C library, certificates and an init, and nothing that could be logged in to.
# Usage: make-root.sh FOLDER; needs mmdebstrap and root. SOURCE_DATE_EPOCH makes it the same every time.
set -eu
folder=$1
mmdebstrap --variant=extract --format=directory \
  --include=libc6,libstdc++6,libgcc-s1,ca-certificates,openssl,tini,base-files,netbase,tzdata \
  bookworm "$folder"
# Nothing was configured, so the bundle of certificates is made here.
mkdir -p "$folder/etc/ssl/certs"
cat "$folder"/usr/share/ca-certificates/mozilla/*.crt > "$folder/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/:/sbin/nologin\nlimen:x:10001:10001:limen:/data:/sbin/nologin\n' > "$folder/etc/passwd"
printf 'root:x:0:\nlimen:x:10001:\n' > "$folder/etc/group"
# Documentation, translations, package lists and programs that nothing calls.
rm -rf "$folder"/usr/share/doc "$folder"/usr/share/man "$folder"/usr/share/locale "$folder"/usr/share/i18n \
  "$folder"/usr/share/lintian "$folder"/usr/share/ca-certificates "$folder"/var/lib/apt "$folder"/var/cache \
  "$folder"/usr/bin/openssl "$folder"/usr/bin/c_rehash "$folder"/usr/lib/*-linux-gnu/gconv "$folder"/usr/lib/locale
mkdir -p "$folder/data" "$folder/tmp"
chown 10001:10001 "$folder/data"
chmod 0700 "$folder/data"
chmod 1777 "$folder/tmp"
