// The URL that wallets call: guessed ids, and links and responses that are reused or used for
// another session.
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WalletLinkReply } from '@limen/contract';
import { answerRequest, issueAttestation, type TestIssuer } from '@limen/wallet/test-issuer';
import { makeSignerFiles } from '@limen/wallet/testing/make-signer.ts';
import { systemClock } from '../../../../../apps/server/src/platform/base/clock.ts';
import { findServiceIssuer } from '../../../../../apps/server/testing/test-wallet.ts';
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { claimAgeSession } from '../../course.ts';
import type { Host } from '../../host.ts';
import type { Reply } from '../../speak.ts';
import type { Stage } from '../../stage.ts';

const ACCEPTS = { acceptedProofs: ['wallet'] };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Opened {
  id: string;
  token: string;
  link: string;
  path: string;
  askAgain(): Promise<unknown>;
}

interface Answer {
  path: string;
  body: string;
}

async function openLink(stage: Stage, host: Host): Promise<Opened> {
  const { id, token, device } = await claimAgeSession(stage, host, ACCEPTS);
  const ask = () => device.call<WalletLinkReply>('POST', id, 'wallet/link', { body: {} });
  const { body } = await ask();
  const { link } = body.links.find(({ profile }) => profile === 'mdl')!;
  const path = new URL(new URL(link).searchParams.get('request_uri') ?? '').pathname;
  return { id, token, link, path, askAgain: ask };
}

const fetchRequest = (stage: Stage, path: string) =>
  stage.speaker.send({ method: 'GET', path, from: stage.newAddress() });

const post = (stage: Stage, { path, body }: Answer) =>
  stage.speaker.send({ method: 'POST', path, headers: FORM, body, from: stage.newAddress() });

async function answerTo(stage: Stage, issuer: TestIssuer, { link, path }: Opened): Promise<Answer> {
  const { text: requestObject } = await fetchRequest(stage, path);
  const attestation = await issueAttestation(issuer, { elements: { age_over_18: true }, now: new Date() });
  const { fields } = await answerRequest({ kind: 'link', link, requestObject }, attestation);
  return { path, body: new URLSearchParams(fields as Record<string, string>).toString() };
}

async function openSigning(stage: Stage): Promise<Stage> {
  const { certificate, key } = await makeSignerFiles({ notBefore: new Date(Date.now() - 60_000) });
  const files = {
    WALLET_CERT: join(stage.folder, 'wallet-cert.pem'),
    WALLET_KEY: join(stage.folder, 'wallet-key.pem'),
  };
  writeFileSync(files.WALLET_CERT, certificate);
  writeFileSync(files.WALLET_KEY, key);
  return stage.another(files);
}

export const walletLinksStolen: AttackClass = {
  name: 'wallet-links-stolen',
  prevents:
    'a request or an answer at an address that was guessed, and an age proven by a link or answer that is used again or was made for another session',
  promise: 'docs/proofs.md#links-and-qr-codes',
  needs: 'many keys',
  refusals: ['404 not_found', '400 malformed_request'],
  attempts: 60,
  // Starts a separate service with a certificate.
  isLong: true,
  async begin(stage) {
    const signing = await openSigning(stage);
    const host = await signing.newHost();
    const storage = { dataDir: signing.folder, url: undefined };
    const issuer = await findServiceIssuer({ storage, clock: systemClock }, 'mdl');
    const used = await openLink(signing, host);
    const answer = await answerTo(signing, issuer, used);
    expectHonest((await post(signing, answer)).status === 200, 'the answer to a link is taken');
    expectHonest((await host.ageResult(used.token)).flowStatus === 'COMPLETED', 'the session ends with it');

    const tell = ({ label }: Reply) => label;
    const guess = () => `/launch/wallet/${randomBytes(32).toString('base64url')}`;
    const tries: (() => Promise<Reply>)[] = [
      () => fetchRequest(signing, guess()),
      () => post(signing, { ...answer, path: guess() }),
      () => fetchRequest(signing, used.path),
      () => post(signing, answer),
      // The response to one link, sent for another session.
      async () => {
        const [mine, theirs] = [await openLink(signing, host), await openLink(signing, host)];
        const { body } = await answerTo(signing, issuer, mine);
        return post(signing, { path: theirs.path, body });
      },
      async () => post(signing, { ...answer, path: (await openLink(signing, host)).path }),
      // A link that its device has replaced.
      async () => {
        const before = await openLink(signing, host);
        const late = await answerTo(signing, issuer, before);
        await before.askAgain();
        return post(signing, late);
      },
      // The stored form of an id opens nothing.
      async () => {
        const { path } = await openLink(signing, host);
        const digest = createHash('sha256').update(path.split('/').at(-1)!).digest('base64url');
        return fetchRequest(signing, `/launch/wallet/${digest}`);
      },
    ];
    return async (round) => tell(await inTurn(tries, round)());
  },
};
