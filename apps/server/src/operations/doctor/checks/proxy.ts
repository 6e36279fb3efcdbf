// Checks that a proxy in front of the service is named, so that clients behind it have addresses of their own.

import { sawUntrustedProxy } from '../../../platform/http/untrusted-proxy.ts';
import { needsProxy } from '../../settings.ts';
import { type Check, ok, warning } from './check.ts';

const REMEDY = 'set TRUST_PROXY to the address of the proxy';

export const checkProxy: Check = async ({ config }) => {
  if (config.TRUST_PROXY !== false) return [ok('a proxy is trusted (TRUST_PROXY)')];
  if (sawUntrustedProxy(config.DATA_DIR)) {
    return [warning('requests came through a proxy that is not trusted: all its clients count as one address', REMEDY)];
  }
  if (needsProxy(config)) {
    return [
      warning('PUBLIC_URL is https and TLS_CERT is not set, so a proxy must be in front; it is not trusted', REMEDY),
    ];
  }
  return [ok('none was seen')];
};
