// Wallets in a real browser, one journey per kind of answer: accepted, or refused with its own
// reason in log and metrics and a message for the person.
import { randomBytes } from 'node:crypto';
import { createTestIssuer } from '@limen/wallet/test-issuer';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../server/src/platform/base/clock.ts';
import { chromiumPath } from '../../server/testing/browser.ts';

import { makeServiceStatuses, type ShownAttestation } from '../../server/testing/test-wallet.ts';
import { openJourneys } from '../testing/journeys/journey.ts';
import { readOutcome } from '../testing/journeys/journey-documents.ts';
import { press, waitForText } from '../testing/journeys/journey-steps.ts';
import { beginWithWallet, declines, readCounts, shows } from '../testing/journeys/wallet-journey.ts';

vi.setConfig({ testTimeout: 300_000 });

type Parts = Map<string, unknown>;

/** The second entry is revoked. */
const STATUS_URI = 'https://issuer.example/list';

const FAILED = 'That did not work. Try again, or choose another way.';
const NOT_ENOUGH = 'That is not enough for this site. Please choose another way.';
const ENDED = 'This proof is no longer valid. Please choose another way.';
const NOT_TRUSTED = 'The issuer of this proof is not known here. Please choose another way.';
const DECLINED = 'The wallet sent nothing. Try again, or choose another way.';

const getDocument = (response: Parts) => (response.get('documents') as Parts[])[0]!;

/** Changes the last byte of the device's signature. */
function breakSignature(response: Parts): void {
  const auth = (getDocument(response).get('deviceSigned') as Parts).get('deviceAuth') as Parts;
  const signature = auth.get('deviceSignature') as unknown[];
  const bytes = signature[3] as Uint8Array;
  auth.set('deviceSignature', signature.with(3, bytes.with(-1, bytes.at(-1)! ^ 1)));
}

function breakDigest(object: Parts): void {
  object.set('valueDigests', new Map([['eu.europa.ec.av.1', new Map([[0, randomBytes(32)]])]]));
}

const REFUSED: [string, () => ShownAttestation | Promise<ShownAttestation>, string, string][] = [
  ['asked by another page', () => ({ conduct: { origin: 'https://evil.example' } }), 'answer_not_decryptable', FAILED],
  ['no longer valid', () => ({ issuedDaysAgo: 40 }), 'expired', ENDED],
  [
    'of an untrusted issuer',
    async () => ({ issuer: await createTestIssuer({ profile: 'eu_age', now: new Date(), country: 'XK' }) }),
    'issuer_untrusted',
    NOT_TRUSTED,
  ],
  ['whose digest was altered', () => ({ change: breakDigest }), 'digest_mismatch', FAILED],
  ['whose device signed other data', () => ({ conduct: { tamper: breakSignature } }), 'device_signature', FAILED],
  ['whose element is false', () => ({ elements: { age_over_18: false } }), 'element_not_true', NOT_ENOUGH],
  ['without the element', () => ({ elements: { age_over_65: true } }), 'element_missing', NOT_ENOUGH],
  [
    'of another type',
    () => ({ conduct: { tamper: (response) => getDocument(response).set('docType', 'org.iso.18013.5.1.mDL') } }),
    'doctype_unasked',
    FAILED,
  ],
  ['that its issuer has revoked', () => ({ status: { uri: STATUS_URI, index: 1 } }), 'status_revoked', ENDED],
  [
    'whose revocation cannot be looked up',
    () => ({ status: { uri: 'https://127.0.0.1:9/list', index: 1 } }),
    'status_unavailable',
    FAILED,
  ],
];

describe.skipIf(!chromiumPath)('a wallet in a browser', async () => {
  const journeys = await openJourneys(afterAll);
  const { storage, statuses } = journeys;
  statuses?.serve(STATUS_URI, () =>
    makeServiceStatuses({ storage, clock: systemClock }, { profile: 'eu_age', uri: STATUS_URI, revoked: [1] }),
  );

  /** Returns a function that counts outcomes since now. */
  async function count(): Promise<(outcome: string) => Promise<number>> {
    const before = await readCounts(journeys.url);
    return async (outcome) => ((await readCounts(journeys.url)).get(outcome) ?? 0) - (before.get(outcome) ?? 0);
  }

  it.each<[ShownAttestation['profile'], string]>([
    ['eu_age', 'org-iso-mdoc'],
    ['mdl', 'org-iso-mdoc'],
    ['mdl', 'openid4vp-v1-unsigned'],
  ])('ends the session with %s over %s', async (profile, protocol) => {
    const journey = await beginWithWallet(journeys);
    await journey.use(shows({ profile: profile!, protocol }));
    expect(await readOutcome(journey)).toMatchObject({
      sessionStatus: 'AGE_ABOVE_THRESHOLD',
      result: { walletProof: { profile }, source: 'wallet' },
    });
  });

  it('is accepted if only another entry of its status list is revoked', async () => {
    const journey = await beginWithWallet(journeys);
    await journey.use(shows({ status: { uri: STATUS_URI, index: 0 } }));
    await journey.waitForScreen('end');
  });

  it('is accepted if it sends more than requested; the excess is counted but in no result', async () => {
    const counted = await count();
    const journey = await beginWithWallet(journeys);
    await journey.use(shows({ conduct: { smuggle: ['age_over_21'] } }));
    const reply = await readOutcome(journey);
    expect(reply).toMatchObject({ sessionStatus: 'AGE_ABOVE_THRESHOLD' });
    expect(JSON.stringify(reply)).not.toContain('age_over');
    expect([await counted('accepted'), await counted('unasked_elements')]).toEqual([1, 1]);
  });

  it.each(REFUSED)('%s is refused, and the camera is still offered', async (_, make, refusal, sentence) => {
    const counted = await count();
    const journey = await beginWithWallet(journeys);
    await journey.use(shows(await make()));
    await waitForText(journey.page, sentence);
    expect([await counted(refusal), await counted('accepted')]).toEqual([1, 0]);
    expect(journeys.app.logged()).toContain(`"refusal":"${refusal}"`);
    expect(await journey.result()).toMatchObject({ sessionStatus: 'AGE_UNKNOWN' });
    await press(journey.page, 'Use the camera');
    await journey.waitForScreen('permission');
  });

  it('leads back to the other options when declined', async () => {
    const counted = await count();
    const journey = await beginWithWallet(journeys);
    await journey.use(declines);
    await waitForText(journey.page, DECLINED);
    expect([await counted('declined'), await counted('accepted')]).toEqual([1, 0]);
    await journey.use(shows());
    await journey.waitForScreen('end');
  });

  it('is refused when its answer is replayed, in the same session and in another', async () => {
    const counted = await count();
    const first = await beginWithWallet(journeys);
    let spied: Awaited<ReturnType<ReturnType<typeof shows>>> = null;
    await first.use(async (asked, wallet) => {
      spied = await wallet.answer(asked, { elements: { age_over_18: false } });
      return spied;
    });
    await waitForText(first.page, NOT_ENOUGH);
    await first.use(async () => spied);
    await waitForText(first.page, FAILED);
    const other = await beginWithWallet(journeys);
    await other.use(async (asked, wallet) => {
      spied = await wallet.answer(asked);
      return spied;
    });
    await other.waitForScreen('end');
    const third = await beginWithWallet(journeys);
    await third.use(async () => spied);
    await waitForText(third.page, FAILED);
    expect([await counted('answer_not_decryptable'), await counted('accepted')]).toEqual([2, 1]);
  });
});
