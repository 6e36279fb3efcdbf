// Every TLS failure with PostgreSQL gets an explanation and a remedy. Other failures stay
// unchanged.
import { expect, it } from 'vitest';
import { describeRefusal, isUnavailable } from '../base/database-failures.ts';
import { explainTlsFailure } from './postgres-connections.ts';

const failWith = (code: string | undefined, message = 'of the connection') =>
  Object.assign(new Error(message), { code });

it.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'name the file of the right CA with sslrootcert=…'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'name the file of the right CA'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'name the file of the right CA'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'name the file of the right CA'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'does not name the host'],
  ['CERT_HAS_EXPIRED', 'renew it, reload the server'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'check sslmode, sslrootcert, sslcert and sslkey'],
])('explains what to do after %s', (code, remedy) => {
  const failure = explainTlsFailure(failWith(code));
  expect(describeRefusal(failure)).toContain(remedy);
  expect(describeRefusal(failure)).toContain(code);
  expect(isUnavailable(failure)).toBe(true);
});

it('recognizes a server without TLS, and names the setting', () => {
  const failure = explainTlsFailure(failWith(undefined, 'The server does not support SSL connections'));
  expect(describeRefusal(failure, 'KEYHOLDER_DATABASE_URL')).toBe(
    'PostgreSQL offers no TLS: set ssl = on in postgresql.conf, or sslmode=disable in KEYHOLDER_DATABASE_URL.',
  );
});

it.each(['ECONNREFUSED', '28P01', undefined])('leaves %s unchanged', (code) => {
  expect(explainTlsFailure(failWith(code))).toBeUndefined();
});

it('names the missing privilege and the page that documents privileges', () => {
  const denied = failWith('42501', 'permission denied for table sessions');
  expect(describeRefusal(denied)).toContain(
    'PostgreSQL refused: permission denied for table sessions. Give the account of DATABASE_URL',
  );
});
