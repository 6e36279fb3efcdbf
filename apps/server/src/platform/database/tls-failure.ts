// Why TLS to PostgreSQL failed, with the remedy.
import { DatabaseFailure } from '../base/database-failures.ts';

/** OpenSSL's verdicts on a certificate, and Node's own codes. */
const TLS_CODE = /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$)/;
/** node-postgres reports a server without TLS by this text alone. */
const NO_TLS = 'The server does not support SSL connections';

/** Returns the failure with a sentence for the operator, or undefined if a connection failed for another reason. */
export function explainTlsFailure(error: unknown): DatabaseFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as { code?: string };
  if (error.message !== NO_TLS && !TLS_CODE.test(code)) return undefined;
  return new DatabaseFailure('tls', remedyFor(code), { cause: error });
}

/** DATABASE_URL stands for the setting that names the database. */
function remedyFor(code: string): string {
  if (code === '')
    return 'PostgreSQL offers no TLS: set ssl = on in postgresql.conf, or sslmode=disable in DATABASE_URL.';
  if (/^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA)/.test(code)) {
    return `The CA of PostgreSQL’s certificate is not known (${code}): name the file of the right CA with sslrootcert=… in DATABASE_URL.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `PostgreSQL’s certificate does not name the host (${code}): use a host name of the certificate in DATABASE_URL, or have a certificate issued for this one.`;
  }
  if (/^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/.test(code)) {
    return `PostgreSQL’s certificate is out of date (${code}): renew it, reload the server, and check this machine’s clock.`;
  }
  return `TLS to PostgreSQL failed (${code}): check sslmode, sslrootcert, sslcert and sslkey in DATABASE_URL, and the server’s log.`;
}
