// A wallet that is reached by a link or QR code: the session's device asks for it, and the wallet answers the service itself.
import { randomBytes } from 'node:crypto';
import type { FinishWalletLinkRequest, UseWalletReply, WalletLinkReply, WalletLinkRequest } from '@limen/contract';
import { WALLET_TRIES } from '@limen/plan';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { World } from '../../../platform/base/world.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Signer } from '../../device/signature.ts';
import type { CallHandler, DeviceCalls } from '../../device/take-call.ts';
import { isOpen } from '../../lifecycle/rules.ts';
import { isOfKind } from '../../lifecycle/session.ts';
import type { Sessions } from '../../lifecycle/sessions.ts';
import { WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { WalletFinding, WalletLink, WalletProofs } from '../../proofs/wallets/proofs.ts';
import type { EndAgeSession } from '../end-session.ts';
import {
  askedOf,
  countWalletAttempt,
  endWithProof,
  type ProofEvidenceStore,
  readProofEvidence,
  readSeen,
  requireAccepted,
} from './proofs.ts';
import type { AnsweredLink, OpenLink, WalletLinkStore } from './wallet-link-store.ts';

interface WalletLinksOptions {
  calls: Pick<DeviceCalls, 'take' | 'endHeld' | 'keepHeld' | 'refuseHeld'>;
  sessions: Pick<Sessions, 'find'>;
  wallets: Pick<WalletProofs, 'offers' | 'beginLinks' | 'judge' | 'settle'>;
  evidence: ProofEvidenceStore;
  links: WalletLinkStore;
  endSession: EndAgeSession;
  /** Below the page, from the settings: the wallet shows its host to the person. */
  answerUrl: (linkId: string) => string;
  launchUrl: (sessionId: string) => URL;
  clock: Clock;
}

const ID_BYTES = 32;
/** OpenID4VP 1.0, 8.2: fresh, and of at least 128 bits. */
const CODE_BYTES = 32;

export function createWalletLinks(options: WalletLinksOptions) {
  const { calls, sessions, wallets, evidence, links, endSession, answerUrl, launchUrl, clock } = options;

  return {
    open: (sessionId: SessionId, signer: Signer, request: WalletLinkRequest) =>
      calls.take(sessionId, signer, openHandler(request)),

    /** Returns the signed request for a wallet that was sent here. Throws if there is none. */
    async request(linkId: string) {
      const link = await links.find(linkId, clock.now());
      const session = link && (await sessions.find(link.sessionId));
      if (!session || !isOpen(session.state) || !link.requestObject) throw noSuchLink();
      return link.requestObject;
    },

    /** Throws 404 for a link that is not there; changes nothing. */
    async requireLink(linkId: string) {
      if (!(await links.find(linkId, clock.now()))) throw noSuchLink();
    },

    /** The form that a wallet posted; throws where it is not taken. Says where the wallet leads the person then, if anywhere. */
    async answer(linkId: string, fields: Readonly<Record<string, string>>) {
      // Used up before it is looked at: an answer counts once, whatever comes of it.
      const link = await links.take(linkId, clock.now());
      const session = link && (await sessions.find(link.sessionId));
      if (!session || !isOfKind(session, 'age') || !isOpen(session.state)) throw noSuchLink();
      const { hold, state, indicators } = link;
      const answer = { protocol: state.protocol, data: fields };
      const judged = await wallets.judge([state], session.owner.world, answer);
      if ('refused' in judged) {
        const forget = (trx: Transaction) => forgetLinks(trx, link);
        await calls.refuseHeld(session.id, hold, judged.refused, forget).catch(hideDevices);
        // A person who says no has been understood.
        if (judged.refused === 'declined') return {};
        throw refused();
      }
      if (link.isSameDevice) return { redirectUri: await keepForReturn(link, judged.finding).catch(hideDevices) };
      const end: Parameters<typeof endWithProof>[1]['end'] = (finish) => calls.endHeld(session.id, hold, finish);
      // A code that was passed on counts here once, and is not to become a key for every host.
      const elsewhere = { isProvenElsewhere: true };
      await endWithProof(endSession, { session, end }, { wallet: judged.finding }, indicators, elsewhere).catch(
        hideDevices,
      );
      wallets.settle('accepted');
      return {};
    },

    /** The device is back from the wallet. */
    finish: (sessionId: SessionId, signer: Signer, { responseCode }: FinishWalletLinkRequest) =>
      calls.take(sessionId, signer, finishHandler(responseCode)),
  };

  /**
   * OpenID4VP 1.0, 8.2 and 14.2: only the browser that the wallet opens learns the code. Whoever sent the link to somebody else does
   * not, and what that person showed ends nothing.
   */
  async function keepForReturn(link: OpenLink, finding: WalletFinding): Promise<string> {
    const { sessionId, hold, indicators } = link;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const answered = { sessionId, hold, indicators, finding, expiresAt: clock.now() + WALLET_LINK_TTL_MS };
    await calls.keepHeld(sessionId, hold, async (trx) => {
      // It was judged meanwhile: nobody is led back to what is no longer asked.
      if (!(await isAskedLast(trx, link))) throw noSuchLink();
      await links.addAnswered(trx, code, answered);
    });
    const url = launchUrl(sessionId);
    url.hash = new URLSearchParams({ response_code: code }).toString();
    return url.href;
  }

  function finishHandler(responseCode: string): CallHandler<'age', Returned, UseWalletReply> {
    return {
      kind: 'age',
      async reserve(trx, call) {
        requireAccepted(call.session, 'wallet');
        const answered = await links.takeAnswered(trx, responseCode, call.session.id, clock.now());
        const { walletAttempts } = await readProofEvidence(evidence, call, trx);
        return { answered, triesLeft: Math.max(0, WALLET_TRIES - walletAttempts) };
      },
      async work(call, { answered, triesLeft }) {
        const { deviceKey, nonce } = answered?.hold ?? {};
        if (!answered || deviceKey !== call.deviceKey || nonce !== call.plan.nonce) {
          wallets.settle('response_code');
          return { outcome: 'refused', reason: 'not_valid', triesLeft };
        }
        await endWithProof(endSession, call, { wallet: answered.finding }, answered.indicators);
        wallets.settle('accepted');
        return { outcome: 'accepted', triesLeft };
      },
    };
  }

  /** The page leaves the code behind, and whatever else was on it is no longer good. False where it shows another by now. */
  async function forgetLinks(trx: Transaction, link: OpenLink): Promise<boolean> {
    const isLast = await isAskedLast(trx, link);
    if (isLast) await links.removeOf(trx, link.sessionId);
    return isLast;
  }

  /** Whether the device has asked nothing of wallets since. */
  async function isAskedLast(trx: Transaction, { sessionId, attempt }: OpenLink): Promise<boolean> {
    const asked = await evidence.find(sessionId, trx);
    return attempt === asked?.walletAttempts;
  }

  /** Each under an id of its own. */
  async function beginLinks(world: World, threshold: number): Promise<(WalletLink & { id: string })[]> {
    const ids = new Map<string, string>();
    const begun = await wallets.beginLinks(world, threshold, (profile) => {
      const id = randomBytes(ID_BYTES).toString('base64url');
      ids.set(profile, id);
      return answerUrl(id);
    });
    return begun.map((one) => ({ ...one, id: ids.get(one.profile) ?? '' }));
  }

  function openHandler({ indicators, sameDevice }: WalletLinkRequest): CallHandler<'age', number, WalletLinkReply> {
    return {
      kind: 'age',
      reserve: (trx, call) => countWalletAttempt(wallets, evidence, trx, call),
      async work(call, triesLeft) {
        const seen = readSeen(indicators);
        const { world, threshold } = askedOf(call.session);
        const expiresAt = clock.now() + WALLET_LINK_TTL_MS;
        const begin = () => beginLinks(world, threshold);
        const [begun, sameDeviceLinks] = await Promise.all([begin(), sameDevice ? begin() : []]);
        const hold = { deviceKey: call.deviceKey, nonce: call.plan.nonce };
        const shared: Omit<OpenLink, 'state' | 'requestObject'> = {
          sessionId: call.session.id,
          hold,
          expiresAt,
          indicators: seen,
          attempt: WALLET_TRIES - triesLeft,
        };
        await call.keep(async (trx) => {
          // What was shown before is no longer on the screen.
          await links.removeOf(trx, call.session.id);
          for (const { id, state, requestObject } of begun)
            await links.add(trx, id, { ...shared, state, requestObject });
          for (const { id, state, requestObject } of sameDeviceLinks) {
            await links.add(trx, id, { ...shared, state, requestObject, isSameDevice: true });
          }
        });
        const shown = begun.map(({ profile, link }) => {
          const here = sameDeviceLinks.find((one) => one.profile === profile);
          return { profile, link, ...(here && { sameDeviceLink: here.link }) };
        });
        return { links: shown, expiresAt: new Date(expiresAt).toISOString(), triesLeft };
      },
    };
  }
}

export type WalletLinks = ReturnType<typeof createWalletLinks>;

interface Returned {
  answered: AnsweredLink | undefined;
  triesLeft: number;
}

/** A wallet is no device of the session, and learns nothing about those that are. */
function hideDevices(error: unknown): never {
  throw error instanceof AppError && (error.code === 'device_mismatch' || error.code === 'session_ended')
    ? noSuchLink()
    : error;
}

function noSuchLink(): AppError {
  return new AppError('not_found', 'There is nothing to answer here: it was answered, is over, or never was.');
}

function refused(): AppError {
  return new AppError(
    'malformed_request',
    'The answer is not accepted. Go back to the page that asked, and try again there.',
  );
}
