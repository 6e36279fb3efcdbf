// A wallet that is reached by a link or QR code: the session's device asks for it, and the wallet answers the service itself.
import { randomBytes } from 'node:crypto';
import type { WalletLinkReply, WalletLinkRequest } from '@limen/contract';
import { WALLET_TRIES } from '@limen/plan';
import type { DeviceChannel } from '../../../core/device-channel/channel.ts';
import type { Signer } from '../../../core/device-channel/signature/device-signature.ts';
import type { CallHandler } from '../../../core/device-channel/take-call.ts';
import { isOpen } from '../../../core/sessions/rules.ts';
import { isOfKind } from '../../../core/sessions/session.ts';
import type { Sessions } from '../../../core/sessions/sessions.ts';
import type { WalletProofs } from '../../../core/wallets/wallet-proofs.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Transaction } from '../../../platform/database/database.ts';
import { AppError } from '../../../platform/errors.ts';
import type { SessionId } from '../../../platform/ids.ts';
import type { EndAgeSession } from '../end-session.ts';
import { endWithProof, readSeen } from './end-with-proof.ts';
import type { ProofEvidenceStore } from './proof-evidence.ts';
import { askedOf, countWalletAttempt } from './wallet-attempts.ts';
import type { OpenLink, WalletLinkStore } from './wallet-link-store.ts';

export interface WalletLinks {
  open(sessionId: SessionId, signer: Signer, request: WalletLinkRequest): Promise<WalletLinkReply>;
  /** What a wallet that was sent here is asked, signed; throws where there is nothing. */
  request(linkId: string): Promise<string>;
  /** The form that a wallet posted; throws where it is not taken. */
  answer(linkId: string, fields: Readonly<Record<string, string>>): Promise<void>;
}

interface WalletLinksOptions {
  channel: Pick<DeviceChannel, 'take' | 'endHeld' | 'refuseHeld'>;
  sessions: Pick<Sessions, 'find'>;
  wallets: Pick<WalletProofs, 'offers' | 'beginLinks' | 'judge'>;
  evidence: ProofEvidenceStore;
  links: WalletLinkStore;
  endSession: EndAgeSession;
  /** Below the page, from the settings: the wallet shows its host to the person. */
  answerUrl: (linkId: string) => string;
  clock: Clock;
}

const LINK_MS = 5 * 60_000;
const ID_BYTES = 32;

export function createWalletLinks(options: WalletLinksOptions): WalletLinks {
  const { channel, sessions, wallets, evidence, links, endSession, answerUrl, clock } = options;

  return {
    open: (sessionId, signer, request) => channel.take(sessionId, signer, openHandler(request)),

    async request(linkId) {
      const link = await links.find(linkId, clock.now());
      const session = link && (await sessions.find(link.sessionId));
      if (!session || !isOpen(session.state) || !link.requestObject) throw noSuchLink();
      return link.requestObject;
    },

    async answer(linkId, fields) {
      // Used up before it is looked at: an answer counts once, whatever comes of it.
      const link = await links.take(linkId, clock.now());
      const session = link && (await sessions.find(link.sessionId));
      if (!session || !isOfKind(session, 'age') || !isOpen(session.state)) throw noSuchLink();
      const { hold, state, indicators } = link;
      const answer = { protocol: state.protocol, data: fields };
      const judged = await wallets.judge([state], session.owner.world, answer);
      if ('refused' in judged) {
        const forget = (trx: Transaction) => forgetLinks(trx, link);
        await channel.refuseHeld(session.id, hold, judged.refused, forget).catch(hideDevices);
        // A person who says no has been understood.
        if (judged.refused === 'declined') return;
        throw refused();
      }
      const end: Parameters<typeof endWithProof>[1]['end'] = (finish) => channel.endHeld(session.id, hold, finish);
      await endWithProof(endSession, { session, end }, { wallet: judged.finding }, indicators).catch(hideDevices);
    },
  };

  /** The page leaves the code behind, and whatever else was on it is no longer good. False where it shows another by now. */
  async function forgetLinks(trx: Transaction, { sessionId, attempt }: OpenLink): Promise<boolean> {
    const asked = await evidence.find(sessionId, trx);
    if (attempt !== undefined && attempt !== asked?.walletAttempts) return false;
    await links.removeOf(trx, sessionId);
    return true;
  }

  function openHandler({ indicators }: WalletLinkRequest): CallHandler<'age', number, WalletLinkReply> {
    return {
      kind: 'age',
      reserve: (trx, call) => countWalletAttempt(wallets, evidence, trx, call),
      async work(call, triesLeft) {
        const seen = readSeen(indicators);
        const { world, threshold } = askedOf(call.session);
        const expiresAt = clock.now() + LINK_MS;
        const ids = new Map<string, string>();
        const begun = await wallets.beginLinks(world, threshold, (profile) => {
          const id = randomBytes(ID_BYTES).toString('base64url');
          ids.set(profile, id);
          return answerUrl(id);
        });
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
          for (const { profile, state, requestObject } of begun) {
            await links.add(trx, ids.get(profile) ?? '', { ...shared, state, requestObject });
          }
        });
        const shown = begun.map(({ profile, link }) => ({ profile, link }));
        return { links: shown, expiresAt: new Date(expiresAt).toISOString(), triesLeft };
      },
    };
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
