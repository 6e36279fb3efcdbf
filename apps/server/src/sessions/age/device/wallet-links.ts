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
import type { TakenCall } from '../../device/take-call.ts';
import { isOpen } from '../../lifecycle/rules.ts';
import { isOfKind } from '../../lifecycle/session.ts';
import type { Sessions } from '../../lifecycle/sessions.ts';
import { WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { WalletFinding, WalletLink, WalletProofs } from '../../proofs/wallets/proofs.ts';
import { askedOf, countWalletAttempt, endWithProof, type ProofParts, readSeen, requireAccepted } from './proofs.ts';
import type { OpenLink, WalletLinkStore } from './wallet-link-store.ts';

interface LinkParts {
  sessions: Pick<Sessions, 'find'>;
  wallets: WalletProofs;
  links: WalletLinkStore;
  /** Below the page, from the settings: the wallet shows its host to the person. */
  answerUrl: (linkId: string) => string;
  launchUrl: (sessionId: string) => URL;
  clock: Clock;
}

const ID_BYTES = 32;
/** OpenID4VP 1.0, 8.2: fresh, and of at least 128 bits. */
const CODE_BYTES = 32;

export class WalletLinks {
  readonly #proofs: ProofParts;
  readonly #parts: LinkParts;

  constructor(proofs: ProofParts, parts: LinkParts) {
    this.#proofs = proofs;
    this.#parts = parts;
  }

  open(sessionId: SessionId, signer: Signer, request: WalletLinkRequest): Promise<WalletLinkReply> {
    const { calls, evidence } = this.#proofs;
    return calls.take(sessionId, signer, {
      kind: 'age',
      reserve: (trx, call) => countWalletAttempt(this.#parts.wallets, evidence, trx, call),
      work: (call, triesLeft) => this.#begin(call, request, triesLeft),
    });
  }

  async #begin(call: TakenCall<'age'>, request: WalletLinkRequest, triesLeft: number): Promise<WalletLinkReply> {
    const { links, clock } = this.#parts;
    const { id: sessionId } = call.session;
    const indicators = readSeen(request.indicators);
    const { world, threshold } = askedOf(call.session);
    const expiresAt = clock.now() + WALLET_LINK_TTL_MS;
    const begin = () => this.#beginLinks(world, threshold);
    const [begun, sameDeviceLinks] = await Promise.all([begin(), request.sameDevice ? begin() : []]);
    const hold = { deviceKey: call.deviceKey, nonce: call.plan.nonce };
    const shared = { sessionId, hold, expiresAt, indicators, attempt: WALLET_TRIES - triesLeft };
    await call.keep(async (trx) => {
      // Earlier links are no longer on the screen.
      await links.removeOf(trx, sessionId);
      for (const { id, state, requestObject } of begun) await links.add(trx, id, { ...shared, state, requestObject });
      for (const { id, state, requestObject } of sameDeviceLinks) {
        await links.add(trx, id, { ...shared, state, requestObject, isSameDevice: true });
      }
    });
    const shown = begun.map(({ profile, link }) => {
      const here = sameDeviceLinks.find((sameDevice) => sameDevice.profile === profile);
      return { profile, link, ...(here && { sameDeviceLink: here.link }) };
    });
    return { links: shown, expiresAt: new Date(expiresAt).toISOString(), triesLeft };
  }

  /** Each link has an id of its own. */
  async #beginLinks(world: World, threshold: number): Promise<(WalletLink & { id: string })[]> {
    const ids = new Map<string, string>();
    const begun = await this.#parts.wallets.beginLinks(world, threshold, (profile) => {
      const id = randomBytes(ID_BYTES).toString('base64url');
      ids.set(profile, id);
      return this.#parts.answerUrl(id);
    });
    return begun.map((link) => ({ ...link, id: ids.get(link.profile) ?? '' }));
  }

  /** Returns the signed request for a wallet that was sent here. Throws if there is none. */
  async request(linkId: string): Promise<string> {
    const { links, sessions, clock } = this.#parts;
    const link = await links.find(linkId, clock.now());
    const session = link && (await sessions.find(link.sessionId));
    if (!session || !isOpen(session.state) || !link.requestObject) throw noSuchLink();
    return link.requestObject;
  }

  /** Throws 404 for a link that is not there; changes nothing. */
  async requireLink(linkId: string): Promise<void> {
    if (!(await this.#parts.links.find(linkId, this.#parts.clock.now()))) throw noSuchLink();
  }

  /** Takes the form that a wallet posted, or throws. Returns where the wallet leads the person then, if anywhere. */
  async answer(linkId: string, fields: Readonly<Record<string, string>>): Promise<{ redirectUri?: string }> {
    const { links, sessions, wallets, clock } = this.#parts;
    const { calls, endSession } = this.#proofs;
    // Used up before it is looked at: an answer counts once, whether it is accepted or not.
    const link = await links.take(linkId, clock.now());
    const session = link && (await sessions.find(link.sessionId));
    if (!session || !isOfKind(session, 'age') || !isOpen(session.state)) throw noSuchLink();
    const { hold, state, indicators } = link;
    const judged = await wallets.judge([state], session.owner.world, { protocol: state.protocol, data: fields });
    if ('refused' in judged) {
      const forget = (trx: Transaction) => this.#forgetLinks(trx, link);
      await calls.refuseHeld(session.id, hold, judged.refused, forget).catch(hideDevices);
      // A person who says no has been understood.
      if (judged.refused === 'declined') return {};
      throw refused();
    }
    if (link.isSameDevice) return { redirectUri: await this.#keepForReturn(link, judged.finding).catch(hideDevices) };
    const end: TakenCall['end'] = (finish) => calls.endHeld(session.id, hold, finish);
    // A code that was passed on counts here once, and is not to become a key for every host.
    const elsewhere = { isProvenElsewhere: true };
    const proof = { wallet: judged.finding };
    await endWithProof(endSession, { session, end }, proof, indicators, elsewhere).catch(hideDevices);
    wallets.settle('accepted');
    return {};
  }

  /** Ends the session of a device that is back from the wallet. */
  finish(sessionId: SessionId, signer: Signer, { responseCode }: FinishWalletLinkRequest): Promise<UseWalletReply> {
    const { links, wallets, clock } = this.#parts;
    const { calls, evidence, endSession } = this.#proofs;
    return calls.take(sessionId, signer, {
      kind: 'age',
      async reserve(trx, call) {
        requireAccepted(call.session, 'wallet');
        const answered = await links.takeAnswered(trx, responseCode, call.session.id, clock.now());
        const { walletAttempts } = await evidence.read(trx, call);
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
    });
  }

  /**
   * OpenID4VP 1.0, 8.2 and 14.2: only the browser that the wallet opens learns the code. A person who sent the link to someone
   * else does not, and what that person showed ends nothing.
   */
  async #keepForReturn(link: OpenLink, finding: WalletFinding): Promise<string> {
    const { links, launchUrl, clock } = this.#parts;
    const { sessionId, hold, indicators } = link;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const answered = { sessionId, hold, indicators, finding, expiresAt: clock.now() + WALLET_LINK_TTL_MS };
    await this.#proofs.calls.keepHeld(sessionId, hold, async (trx) => {
      // The device has asked again while the answer was judged: no one is led back to an old request.
      if (!(await this.#isAskedLast(trx, link))) throw noSuchLink();
      await links.addAnswered(trx, code, answered);
    });
    const url = launchUrl(sessionId);
    url.hash = new URLSearchParams({ response_code: code }).toString();
    return url.href;
  }

  /** Deletes all links that the page shows with this one. Returns false if the page shows another by now. */
  async #forgetLinks(trx: Transaction, link: OpenLink): Promise<boolean> {
    const isLast = await this.#isAskedLast(trx, link);
    if (isLast) await this.#parts.links.removeOf(trx, link.sessionId);
    return isLast;
  }

  /** Returns whether the device has asked nothing of wallets since. */
  async #isAskedLast(trx: Transaction, { sessionId, attempt }: OpenLink): Promise<boolean> {
    const asked = await this.#proofs.evidence.find(sessionId, trx);
    return attempt === asked?.walletAttempts;
  }
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
