// Reads the address of PostgreSQL. TLS parameters mean what libpq documents. node-postgres reads them differently, so it never sees them.
// Modes in which libpq may fall back to an unencrypted connection are refused.
import type { ConnectionOptions } from 'node:tls';
import { StartError } from '../base/errors.ts';
import { readCertificate, readKeyPair } from '../files/key-pair.ts';
import { isLoopback } from '../outbound/classify-address.ts';

const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'] as const;

type ReadParameter = (name: (typeof PARAMETERS)[number]) => string | undefined;

/**
 * As in libpq, PGSSLMODE, PGSSLROOTCERT, PGSSLCERT and PGSSLKEY replace missing parameters. Throws an error whose message continues after
 * the name of the setting and has no full stop. Without `sslMode`, the connection is not encrypted.
 */
export function readPostgresAddress(
  value: string,
  // biome-ignore lint/style/noProcessEnv: node-postgres takes PGHOST and PGPASSWORD from there, too
  environment: Readonly<Record<string, string | undefined>> = process.env,
) {
  const url = URL.parse(value);
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) {
    throw new Error('must be a PostgreSQL address such as postgres://user:password@host:5432/limen');
  }
  const { searchParams } = url;
  const names = [...searchParams.keys()];
  const known = new Set<string>(PARAMETERS);
  const unknown = names.find((name) => /^(use)?(ssl|libpq)/.test(name) && !known.has(name));
  if (unknown !== undefined) {
    throw new Error(`has the parameter ${unknown}, which Limen does not know; ${PARAMETERS.join(', ')} set up TLS`);
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`has the parameter ${repeated} more than once; keep one`);
  const read: ReadParameter = (name) => searchParams.get(name) || environment[`PG${name.toUpperCase()}`] || undefined;
  const host = searchParams.get('host') || decodeURIComponent(url.hostname) || environment['PGHOST'] || 'localhost';
  const isSocket = host.startsWith('/');
  const sslMode = readMode(read);
  // As in libpq, TLS parameters have no meaning on a Unix socket.
  const ssl: ConnectionOptions | false =
    isSocket || sslMode === undefined || sslMode === 'disable' ? false : readFiles(sslMode, read);
  for (const name of PARAMETERS) searchParams.delete(name);
  return { connectionString: url.href, sslMode, ssl, isRemote: !isSocket && !isLoopback(host) };
}

function readMode(read: ReadParameter): (typeof MODES)[number] | undefined {
  const sslMode = read('sslmode');
  if (sslMode === undefined) {
    const needy = PARAMETERS.find(read);
    if (needy !== undefined) throw new Error(`has ${needy} without sslmode; add sslmode=verify-full`);
    return undefined;
  }
  const mode = MODES.find((known) => known === sslMode);
  if (mode !== undefined) return mode;
  // The value stays out of the message, because the whole address is secret.
  const reason = ['allow', 'prefer'].includes(sslMode)
    ? 'that may fall back to an unencrypted connection'
    : 'that Limen does not know';
  throw new Error(`has a value of sslmode ${reason}; use verify-full, verify-ca, require or disable`);
}

function readFiles(sslMode: 'require' | 'verify-ca' | 'verify-full', read: ReadParameter): ConnectionOptions {
  const [rootFile, certFile, keyFile] = [read('sslrootcert'), read('sslcert'), read('sslkey')];
  if (sslMode === 'verify-ca' && rootFile === undefined) {
    throw new Error('has sslmode=verify-ca without sslrootcert; name the file of the CA, or use sslmode=verify-full');
  }
  if ((certFile === undefined) !== (keyFile === undefined)) throw new Error('needs sslcert and sslkey together');
  try {
    return {
      ...(rootFile !== undefined && { ca: readCertificate({ cert: 'sslrootcert', key: 'sslkey' }, rootFile).pem }),
      ...(certFile !== undefined && keyFile !== undefined && readClientPair(certFile, keyFile)),
      ...(sslMode === 'require' && rootFile === undefined && { rejectUnauthorized: false }),
      ...(sslMode !== 'verify-full' && { checkServerIdentity: () => undefined }),
    };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new Error(`has a problem in ${error.message.replace(/\.$/, '')}`);
  }
}

function readClientPair(certFile: string, keyFile: string): ConnectionOptions {
  const { cert, key } = readKeyPair({ cert: 'sslcert', key: 'sslkey' }, { certFile, keyFile });
  return { cert, key };
}
