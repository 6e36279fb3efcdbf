#!/bin/sh
# Creates the image's root: Debian's C library, certificates and an init, without a shell.
# Usage: make-root.sh FOLDER. Requires mmdebstrap and root. SOURCE_DATE_EPOCH makes it reproducible.
set -eu
folder=$1
mmdebstrap --variant=extract --format=directory \
  --include=libc6,libstdc++6,libgcc-s1,ca-certificates,openssl,tini,base-files,netbase,tzdata \
  bookworm "$folder"
# Packages were not configured, so the certificate bundle is created here.
mkdir -p "$folder/etc/ssl/certs"
cat "$folder"/usr/share/ca-certificates/mozilla/*.crt > "$folder/etc/ssl/certs/ca-certificates.crt"
printf 'root:x:0:0:root:/:/sbin/nologin\nlimen:x:10001:10001:limen:/data:/sbin/nologin\n' > "$folder/etc/passwd"
printf 'root:x:0:\nlimen:x:10001:\n' > "$folder/etc/group"
# Removes documentation, translations, package lists and unused programs.
rm -rf "$folder"/usr/share/doc "$folder"/usr/share/man "$folder"/usr/share/locale "$folder"/usr/share/i18n \
  "$folder"/usr/share/lintian "$folder"/usr/share/ca-certificates "$folder"/var/lib/apt "$folder"/var/cache \
  "$folder"/usr/bin/openssl "$folder"/usr/bin/c_rehash "$folder"/usr/lib/*-linux-gnu/gconv "$folder"/usr/lib/locale
mkdir -p "$folder/data" "$folder/tmp"
chown 10001:10001 "$folder/data"
chmod 0700 "$folder/data"
chmod 1777 "$folder/tmp"
