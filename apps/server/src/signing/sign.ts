// Signs results, evidence and deletion receipts for customers.
import { createHash } from 'node:crypto';
import type { DeletedKind, DeletionReceipt, SignedClaims, SignedType } from '@limen/contract';
import { CompactSign } from 'jose';
import type { Owner } from '../platform/api-keys/owner.ts';
import type { Clock } from '../platform/base/clock.ts';
import { prefersJwt } from '../platform/http/body/negotiation.ts';
import { writeJson } from '../platform/json/verbatim.ts';
import type { SigningKey, SigningKeys } from './keys.ts';
import { LASTING_LIFETIME_MS, RESULT_LIFETIME_MS } from './limits.ts';

const LIFETIME_MS: Readonly<Record<SignedType, number>> = {
  'limen-age-result+jwt': RESULT_LIFETIME_MS,
  'limen-verification-result+jwt': RESULT_LIFETIME_MS,
  'limen-screening-evidence+jwt': LASTING_LIFETIME_MS,
  'limen-deletion-receipt+jwt': LASTING_LIFETIME_MS,
};

export function createSigning(keys: Pick<SigningKeys, 'current'>, publicUrl: () => string, clock: Clock) {
  const counts = new Map<string, number>();

  async function signWith(key: SigningKey, owner: Owner, type: SignedType, contents: object): Promise<string> {
    const now = clock.now();
    const claims: SignedClaims = {
      iss: publicUrl(),
      aud: owner.customer,
      iat: Math.floor(now / 1000),
      exp: Math.floor((now + LIFETIME_MS[type]) / 1000),
      world: owner.world,
    };
    const payload = new TextEncoder().encode(writeJson({ ...contents, ...claims }));
    const header = { alg: 'ES256', typ: type, kid: key.kid };
    const signed = await new CompactSign(payload).setProtectedHeader(header).sign(key.privateKey);
    counts.set(type, (counts.get(type) ?? 0) + 1);
    return signed;
  }

  return {
    /** Adds the claims of a JWT to the contents. */
    sign: async (owner: Owner, type: SignedType, contents: object) =>
      signWith(await keys.current(owner.world), owner, type, contents),
    /** Deletes, and returns a receipt if the call accepts one. The key is opened first, so that nothing is deleted without a receipt. */
    async deleteWithReceipt(
      accept: string | undefined,
      { owner, kind, id }: { owner: Owner; kind: DeletedKind; id: string },
      remove: () => Promise<void>,
    ) {
      const key = prefersJwt(accept) ? await keys.current(owner.world) : undefined;
      await remove();
      if (!key) return undefined;
      const receipt: Omit<DeletionReceipt, keyof SignedClaims> = {
        deleted: kind,
        deletedAt: new Date(clock.now()).toISOString(),
        idDigest: createHash('sha256').update(id).digest('hex'),
      };
      return signWith(key, owner, 'limen-deletion-receipt+jwt', receipt);
    },
    counts: () => counts,
  };
}

export type Signing = ReturnType<typeof createSigning>;
