// A wallet in place of the session's own check: asked through the browser, or by a link or QR code that it answers itself.
import { randomBytes } from 'node:crypto';
import type {
  FinishWalletLinkRequest,
  UseWalletReply,
  UseWalletRequest,
  WalletLinkReply,
  WalletLinkRequest,
  WalletOptionsReply,
} from '@limen/contract';
import { WALLET_TRIES } from '@limen/plan';
import type { Clock } from '../../../platform/base/clock.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import type { Signer } from '../../device/signature.ts';
import type { AcceptedCall } from '../../device/take-call.ts';
import { isOpen } from '../../lifecycle/rules.ts';
import { isOfKind, type Session } from '../../lifecycle/session.ts';
import type { Sessions } from '../../lifecycle/sessions.ts';
import { WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { WalletFinding, WalletProofs } from '../../proofs/wallets/proofs.ts';
import { endWithProof, type ProofParts, readSeen, requireAccepted } from './proofs.ts';
import type { OpenLink, WalletLinkStore } from './wallet-link-store.ts';

interface WalletParts extends ProofParts {
  sessions: Pick<Sessions, 'find'>;
  wallets: WalletProofs;
  links: WalletLinkStore;
  /** Returns an address below the page, from the settings: the wallet shows its host to the person. */
  answerUrl: (linkId: string) => string;
  launchUrl: (sessionId: string) => URL;
  clock: Clock;
}

const ID_BYTES = 32;
/** OpenID4VP 1.0, 8.2: fresh, and of at least 128 bits. */
const CODE_BYTES = 32;

export class WalletCalls {
  readonly #parts: WalletParts;

  constructor(parts: WalletParts) {
    this.#parts = parts;
  }

  options(sessionId: SessionId, signer: Signer): Promise<WalletOptionsReply> {
    const { calls, evidence, wallets } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'age',
      reserve: (trx, call) => this.#countAttempt(trx, call),
      async work(call) {
        const { requests, states } = await wallets.begin(...readAgeRequest(call.session));
        await evidence.change(call, (before) => ({ ...before, walletOpen: states }));
        return { requests };
      },
    });
  }

  use(sessionId: SessionId, signer: Signer, request: UseWalletRequest): Promise<UseWalletReply> {
    const { protocol, data, indicators } = request;
    const { calls, evidence, wallets, endSession } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'age',
      async reserve(trx, call) {
        requireAccepted(call.session, 'wallet');
        // Used up before it is judged: an answer counts once, whether it is accepted or not.
        const { walletOpen: states = [], ...rest } = await evidence.read(trx, call);
        await evidence.save(trx, call.session.id, rest);
        return { states, triesLeft: triesAfter(rest) };
      },
      async work(call, { states, triesLeft }) {
        const seen = readSeen(indicators);
        const judged = await wallets.judge(states, call.session.owner.world, { protocol, data });
        if ('refused' in judged) return { outcome: 'refused', reason: judged.refused, triesLeft };
        await endWithProof(endSession, call, { wallet: judged.finding }, seen);
        wallets.settle('accepted');
        return { outcome: 'accepted', triesLeft };
      },
    });
  }

  openLinks(sessionId: SessionId, signer: Signer, request: WalletLinkRequest): Promise<WalletLinkReply> {
    return this.#parts.calls.take(sessionId, signer, {
      kind: 'age',
      reserve: (trx, call) => this.#countAttempt(trx, call),
      work: (call, triesLeft) => this.#begin(call, request, triesLeft),
    });
  }

  /** Ends earlier requests through the browser. Returns the tries that are left. */
  async #countAttempt(trx: Transaction, call: AcceptedCall<'age'>): Promise<number> {
    const { evidence, wallets } = this.#parts;
    if (!wallets.offers(...readAgeRequest(call.session))) {
      throw new AppError('forbidden', 'No issuer of wallets is trusted here; continue with the steps of the session.');
    }
    const before = await evidence.read(trx, call);
    const walletAttempts = before.walletAttempts + 1;
    if (walletAttempts > WALLET_TRIES) {
      throw new AppError('forbidden', 'This session has no tries left for a wallet; continue with its steps.');
    }
    await evidence.save(trx, call.session.id, { ...before, walletAttempts, walletOpen: undefined });
    return triesAfter({ walletAttempts });
  }

  async #begin(call: AcceptedCall<'age'>, request: WalletLinkRequest, triesLeft: number): Promise<WalletLinkReply> {
    const { links, clock } = this.#parts;
    const { id: sessionId } = call.session;
    const indicators = readSeen(request.indicators);
    const expiresAt = clock.now() + WALLET_LINK_TTL_MS;
    const begin = () => this.#beginLinks(call.session);
    const [begun, sameDeviceLinks] = await Promise.all([begin(), request.sameDevice ? begin() : []]);
    const hold = { deviceKey: call.deviceKey, nonce: call.plan.nonce };
    const shared = { sessionId, hold, expiresAt, indicators, attempt: WALLET_TRIES - triesLeft };
    await call.keep(async (trx) => {
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

  async #beginLinks(session: Session<'age'>) {
    const ids = new Map<string, string>();
    const begun = await this.#parts.wallets.beginLinks(...readAgeRequest(session), (profile) => {
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

  async requireLink(linkId: string): Promise<void> {
    if (!(await this.#parts.links.find(linkId, this.#parts.clock.now()))) throw noSuchLink();
  }

  /** Takes the form that a wallet posted, or throws. Returns the address that the wallet leads the person to, if any. */
  async answer(linkId: string, fields: Readonly<Record<string, string>>): Promise<{ redirect_uri?: string }> {
    const { calls, endSession, links, sessions, wallets, clock } = this.#parts;
    // Used up before it is judged: an answer counts once, whether it is accepted or not.
    const link = await links.take(linkId, clock.now());
    const session = link && (await sessions.find(link.sessionId));
    if (!session || !isOfKind(session, 'age') || !isOpen(session.state)) throw noSuchLink();
    const { hold, state, indicators } = link;
    const judged = await wallets.judge([state], session.owner.world, { protocol: state.protocol, data: fields });
    if ('refused' in judged) {
      const forget = (trx: Transaction) => this.#forgetLinks(trx, link);
      await calls.refuseHeld(session.id, hold, judged.refused, forget).catch(hideDevices);
      // A person's refusal is a valid answer.
      if (judged.refused === 'declined') return {};
      const message = 'The answer is not accepted. Go back to the page that asked, and try again there.';
      throw new AppError('malformed_request', message);
    }
    if (link.isSameDevice) return { redirect_uri: await this.#keepForReturn(link, judged.finding).catch(hideDevices) };
    const end: AcceptedCall['end'] = (finish) => calls.endHeld(session.id, hold, finish);
    // A code that was passed on counts here once, and must not become a key for every host.
    const elsewhere = { isProvenElsewhere: true };
    const proof = { wallet: judged.finding };
    await endWithProof(endSession, { session, end }, proof, indicators, elsewhere).catch(hideDevices);
    wallets.settle('accepted');
    return {};
  }

  finishLink(sessionId: SessionId, signer: Signer, { responseCode }: FinishWalletLinkRequest): Promise<UseWalletReply> {
    const { calls, evidence, endSession, links, wallets, clock } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'age',
      async reserve(trx, call) {
        requireAccepted(call.session, 'wallet');
        const answered = await links.takeAnswered(trx, responseCode, call.session.id, clock.now());
        return { answered, triesLeft: triesAfter(await evidence.read(trx, call)) };
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
   * Keeps a finding until the device comes back with its code (OpenID4VP 1.0, 8.2 and 14.2). Only the browser that the wallet
   * opens learns the code, so a link that was sent to someone else ends nothing.
   */
  async #keepForReturn(link: OpenLink, finding: WalletFinding): Promise<string> {
    const { calls, links, launchUrl, clock } = this.#parts;
    const { sessionId, hold, indicators } = link;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const answered = { sessionId, hold, indicators, finding, expiresAt: clock.now() + WALLET_LINK_TTL_MS };
    await calls.keepHeld(sessionId, hold, async (trx) => {
      // The device asked again while the answer was judged, so the request is outdated.
      if (!(await this.#isAskedLast(trx, link))) throw noSuchLink();
      await links.addAnswered(trx, code, answered);
    });
    const url = launchUrl(sessionId);
    url.hash = new URLSearchParams({ response_code: code }).toString();
    return url.href;
  }

  /** Deletes all links of the last request. Returns false if this link is of an earlier one. */
  async #forgetLinks(trx: Transaction, link: OpenLink): Promise<boolean> {
    const isLast = await this.#isAskedLast(trx, link);
    if (isLast) await this.#parts.links.removeOf(trx, link.sessionId);
    return isLast;
  }

  async #isAskedLast(trx: Transaction, { sessionId, attempt }: OpenLink): Promise<boolean> {
    const asked = await this.#parts.evidence.find(sessionId, trx);
    return attempt === asked?.walletAttempts;
  }
}

/** Returns the world and the age that a wallet is asked for. */
function readAgeRequest(session: Session<'age'>) {
  requireAccepted(session, 'wallet');
  return [session.owner.world, session.contents.settings.documentAgeThreshold] as const;
}

function triesAfter({ walletAttempts }: { walletAttempts: number }): number {
  return Math.max(0, WALLET_TRIES - walletAttempts);
}

/** Hides the session's devices from a wallet. */
function hideDevices(error: unknown): never {
  const isAboutDevices = error instanceof AppError && ['device_mismatch', 'session_ended'].includes(error.code);
  throw isAboutDevices ? noSuchLink() : error;
}

function noSuchLink(): AppError {
  return new AppError('not_found', 'No request is open here: it was answered, has expired, or never existed.');
}
