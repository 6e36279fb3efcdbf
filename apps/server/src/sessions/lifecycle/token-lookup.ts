// The digest by which a session is found from its token.
import type { SessionToken } from '../../platform/base/ids.ts';
import type { Sealer } from '../../platform/sealing/sealer.ts';

export function createTokenLookup(sealer: Pick<Sealer, 'digest'>): (token: SessionToken) => Buffer {
  return (token) => sealer.digest('sessions/token', token);
}
