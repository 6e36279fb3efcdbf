// Reads the server's certificate and key, and says in one sentence what is wrong with them before anything listens.
import { createSecureContext } from 'node:tls';
import { StartError } from '../base/errors.ts';
import { type KeyPair, type KeyPairFiles, readKeyPair } from '../files/key-pair.ts';

export function readTls(files: KeyPairFiles): KeyPair {
  const pair = readKeyPair({ cert: 'TLS_CERT', key: 'TLS_KEY' }, files);
  try {
    createSecureContext({ cert: pair.cert, key: pair.key });
  } catch (error) {
    // Whatever else: a key that is too short for today's rules, a broken certificate further down in the file.
    const { code = 'no code' } = error as NodeJS.ErrnoException;
    throw new StartError(`TLS_CERT and TLS_KEY cannot be used together (OpenSSL says ${code}).`);
  }
  return pair;
}
