// The certificate of the server, read again on request and when its files change.
import { statSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { describeForLog, StartError } from '../base/errors.ts';
import { type KeyPair, type KeyPairFiles, readKeyPair } from '../files/key-pair.ts';
import type { Metrics } from '../watch/metrics.ts';
import type { HttpServer } from './types.ts';

/**
 * Interval of checks for changes: programs that renew the files may be unable to send a signal, as
 * in a container.
 */
const LOOK_EVERY_MS = 60_000;

export function openCertificate(
  files: KeyPairFiles,
  { metrics, clock, log }: { metrics: Metrics; clock: Clock; log: Logger },
) {
  let seen = readStamp(files);
  const pair = readTls(files);
  let { certificate } = pair;
  const help = 'Until the certificate that the server presents expires; negative once it has.';
  metrics.addGauge('limen_tls_certificate_expires_seconds', help, [], async (gauge) =>
    gauge.set((Date.parse(certificate.validTo) - clock.now()) / 1000),
  );

  function reload(server: Server): void {
    seen = readStamp(files); // Read first, so that the next check sees a change during the read.
    try {
      const next = readTls(files);
      server.setSecureContext({ cert: next.cert, key: next.key });
      certificate = next.certificate;
      const { fingerprint256, validTo } = certificate;
      log.info({ fingerprint256, validTo }, 'the certificate was reloaded; new connections get it');
    } catch (error) {
      const reason = error instanceof StartError ? error.message : describeForLog(error);
      const { certFile, keyFile } = files;
      log.error({ certFile, keyFile, reason }, 'the certificate cannot be reloaded; the old one stays active');
    }
  }

  return {
    pair,
    /** Watches the files until the server closes. Returns a function that reads them at once. */
    keepCurrent(http: HttpServer): () => void {
      const server = http.server as unknown as Server;
      const timer = setInterval(() => {
        if (readStamp(files) !== seen) reload(server);
      }, LOOK_EVERY_MS).unref();
      http.addHook('onClose', async () => clearInterval(timer));
      return () => reload(server);
    },
  };
}

/** Changes with the files, their permissions, and symbolic links to them. */
function readStamp({ certFile, keyFile }: KeyPairFiles): string {
  const stamps = [certFile, keyFile].map((file) => {
    try {
      const { dev, ino, ctimeMs } = statSync(file);
      return `${dev} ${ino} ${ctimeMs}`;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    }
  });
  return stamps.join();
}

export function readTls(files: KeyPairFiles): KeyPair {
  const pair = readKeyPair({ cert: 'TLS_CERT', key: 'TLS_KEY' }, files);
  try {
    createSecureContext({ cert: pair.cert, key: pair.key });
  } catch (error) {
    // A key that is too short for today's rules, or a broken certificate further down in the file
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    throw new StartError(`TLS_CERT and TLS_KEY cannot be used together (OpenSSL says ${code}).`);
  }
  return pair;
}
