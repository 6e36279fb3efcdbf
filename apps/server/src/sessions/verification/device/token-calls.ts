// The token step: a challenge, the encrypted face for it, and the selfie that the host asked for.
import type { SelfieReply, TokenChallengeReply, TokenReply } from '@limen/contract';
import { SELFIE_MAX_BYTES, SELFIE_SENDS, TOKEN_CALL_BYTES, TOKEN_TRIES } from '@limen/plan';
import { KeyHolderUnavailableError, PersonLockedError, ThrottledError } from '../../../faces/keyholder/link/calls.ts';
import type { TokenPerson } from '../../../faces/tokens/tokens.ts';
import { QueueFullError } from '../../../platform/async/limiter.ts';
import { isMissingReference } from '../../../platform/base/database-failures.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Signer } from '../../device/signature.ts';
import { digestContent } from '../../device/state.ts';
import type { AcceptedCall } from '../../device/take-call.ts';
import type { Session } from '../../lifecycle/session.ts';
import { MAX_FACE_CHALLENGES } from '../../limits.ts';
import type { Vouching } from '../vouching.ts';
import {
  dropForeignPasskey,
  listSpeaking,
  type PersonEvidence,
  type StepParts,
  settle,
  type VerificationEvidence,
  without,
} from './evidence.ts';
import { noChallenge, requireStep, stillWorking, translateRefusal } from './refusals.ts';
import { readCapture, readPieces, type TokenPieces } from './token-body.ts';

const SELFIE_LABEL = 'limen-selfie-v1';
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff]);

interface TokenCallsOptions extends StepParts {
  database: Database;
  vouching: Vouching;
}

type ReservedFace = { reply: TokenReply } | { challenge: string; before: VerificationEvidence };
type ComparedFace = { person: PersonEvidence; outcome: 'enrolled' | 'matched' } | undefined;

export class TokenCalls {
  readonly #parts: TokenCallsOptions;

  constructor(parts: TokenCallsOptions) {
    this.#parts = parts;
  }

  challenge(sessionId: SessionId, signer: Signer, address: string): Promise<TokenChallengeReply> {
    const { calls, evidence, tokens, vouching, debug } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'token');
        const before = await evidence.read(trx, call);
        if (before.challenges >= MAX_FACE_CHALLENGES) {
          throw new AppError('forbidden', 'This session has used up its challenges.');
        }
        const after = { ...before, challenges: before.challenges + 1 };
        await evidence.save(trx, call.session.id, after);
        const shown = settle(after, call.carried);
        // The locks on strangers do not apply to a person with a voucher, whose attempts count for that person.
        return { shown, vouchedBy: await vouching.findVoucher(trx, listSpeaking(shown, call.carried)) };
      },
      async work(call, { shown, vouchedBy }) {
        const { session } = call;
        const { id, owner, token: sessionSecret } = session;
        const purpose = choosePurpose(session, shown);
        try {
          const opened = await tokens.openChallenge({ owner, purpose, session: id, sessionSecret, address, vouchedBy });
          const { challenge, expiresAt, modelId } = opened;
          await evidence.change(call, (now) => ({ ...without(now, 'running'), challenge }));
          debug(session, 2, { purpose }, 'a challenge was opened');
          return {
            outcome: 'ready',
            challenge,
            publicKey: base64(opened.publicKey),
            signature: base64(opened.signature),
            identity: base64(opened.identity),
            purpose,
            expiresAt: new Date(expiresAt).toISOString(),
            modelId,
          };
        } catch (error) {
          await evidence.change(call, (now) => ({ ...now, challenges: now.challenges - 1, ...readRetryAfter(error) }));
          if (!(error instanceof ThrottledError)) throw translateRefusal(error);
          debug(session, 1, { retryAfter: error.retryAfter }, 'attempts are throttled');
          return { outcome: 'throttled', retryAfter: error.retryAfter };
        }
      },
    });
  }

  send(sessionId: SessionId, signer: Signer, body: Buffer): Promise<TokenReply> {
    const { calls, evidence } = this.#parts;
    // Leaves out the sealed facts, which differ even if the same call comes again.
    const digest = digestContent(body.subarray(0, TOKEN_CALL_BYTES));
    return calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call): Promise<ReservedFace> {
        requireStep(call, 'token');
        readPieces(body);
        const before = await evidence.read(trx, call);
        if (before.lastToken?.digest === digest) return { reply: before.lastToken.reply };
        if (before.running === digest) throw stillWorking();
        if (before.tries >= TOKEN_TRIES) return { reply: { outcome: 'not_recognized', triesLeft: 0 } };
        if (before.challenge === undefined) throw noChallenge();
        const after = { ...without(before, 'challenge', 'lastToken'), running: digest, tries: before.tries + 1 };
        await evidence.save(trx, call.session.id, after);
        return { challenge: before.challenge, before: after };
      },
      work: async (call, reserved) => {
        if ('reply' in reserved) return reserved.reply;
        const { challenge, before } = reserved;
        try {
          const found = await this.#compare(call, settle(before, call.carried), challenge, readPieces(body));
          return await this.#reply(call, digest, found, TOKEN_TRIES - before.tries);
        } catch (error) {
          if (error instanceof PersonLockedError) return this.#sayLocked(call, digest, error);
          return this.#giveBack(call, challenge, error);
        }
      },
    });
  }

  /** Takes the selfie that the host asked for, and keeps it sealed until the end. */
  sendSelfie(sessionId: SessionId, signer: Signer, envelope: Buffer): Promise<SelfieReply> {
    const { calls, evidence, debug } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call) {
        if (!requireStep(call, 'token').sendsSelfie) {
          throw new AppError('forbidden', 'This session did not ask for a selfie.');
        }
        const before = await evidence.read(trx, call);
        if (before.selfies >= SELFIE_SENDS) throw new AppError('forbidden', 'This session accepts no more selfies.');
        await evidence.save(trx, call.session.id, { ...before, selfies: before.selfies + 1 });
      },
      async work(call) {
        const jpeg = call.open(envelope, SELFIE_LABEL);
        const isJpeg = jpeg?.subarray(0, JPEG_START.length).equals(JPEG_START);
        if (!jpeg || !isJpeg || jpeg.length > SELFIE_MAX_BYTES) {
          throw new AppError('malformed_request', 'The body must be a JPEG, sealed for this session and its plan.');
        }
        await call.keep((trx) => evidence.saveSelfie(trx, call.session.id, call.plan.nonce, jpeg));
        debug(call.session, 2, { bytes: jpeg.length }, 'a selfie came');
        jpeg.fill(0);
        return {};
      },
    });
  }

  async #reply(call: AcceptedCall<'verification'>, digest: string, found: ComparedFace, triesLeft: number) {
    const { evidence, debug } = this.#parts;
    const outcome = found?.outcome ?? 'not_recognized';
    const deviceId = found?.person.deviceId;
    const reply: TokenReply = { outcome, ...(deviceId !== undefined && { deviceId }), triesLeft };
    await evidence.change(call, (now) =>
      dropForeignPasskey({
        ...without(now, 'running', 'person', 'retryAfter'),
        ...(found && { person: found.person }),
        lastToken: { digest, reply },
      }),
    );
    debug(call.session, 1, { outcome, triesLeft }, 'a face was compared');
    return reply;
  }

  /** Uses up the try, because the face was compared. The device does not learn whose it was. */
  async #sayLocked(
    call: AcceptedCall<'verification'>,
    digest: string,
    { retryAfter }: PersonLockedError,
  ): Promise<TokenReply> {
    const { evidence, debug } = this.#parts;
    const replyTo = ({ tries }: VerificationEvidence): TokenReply => {
      return { outcome: 'throttled', retryAfter, triesLeft: TOKEN_TRIES - tries };
    };
    const after = await evidence.change(call, (now) => ({
      ...without(now, 'running', 'person'),
      retryAfter,
      lastToken: { digest, reply: replyTo(now) },
    }));
    debug(call.session, 1, { outcome: 'throttled' }, 'the person who is asked for is locked');
    return replyTo(after);
  }

  /** Gives the try back, because nothing was compared; also the challenge, if the key-holder was never asked. */
  async #giveBack(call: AcceptedCall<'verification'>, challenge: string, error: unknown): Promise<TokenReply> {
    const { evidence, debug } = this.#parts;
    const isThrottled = error instanceof ThrottledError;
    const translated = translateRefusal(error);
    const isDown = error instanceof KeyHolderUnavailableError || error instanceof QueueFullError;
    const after = await evidence
      .change(call, (now) => ({
        ...without(now, 'running'),
        tries: Math.max(0, now.tries - 1),
        ...(isDown && now.challenge === undefined && { challenge }),
        ...readRetryAfter(error),
      }))
      .catch(async (refusal) => {
        if (refusal instanceof AppError && ['session_ended', 'not_found'].includes(refusal.code)) {
          await this.#dropUnfinished(call.session);
          throw refusal;
        }
        return undefined;
      });
    debug(call.session, 1, { outcome: isThrottled ? 'throttled' : 'not compared' }, 'a face was not compared');
    if (!isThrottled || !after) throw translated;
    return { outcome: 'throttled', retryAfter: error.retryAfter, triesLeft: TOKEN_TRIES - after.tries };
  }

  /** Drops a person made just now: the session ended while its face was compared. */
  async #dropUnfinished({ id }: Session<'verification'>): Promise<void> {
    const { database, tokens, devices } = this.#parts;
    await database.transact(async (trx) => {
      await tokens.discard(trx, id);
      await devices.discard(trx, id);
    });
  }

  async #compare(
    call: AcceptedCall<'verification'>,
    shown: VerificationEvidence,
    challenge: string,
    { deviceKey, probe, capture }: TokenPieces,
  ): Promise<ComparedFace> {
    const { tokens } = this.#parts;
    const { session } = call;
    const { type } = session.contents;
    const facts = { type, ...(capture && readCapture(call, capture)) };
    const ask = { owner: session.owner, session: session.id, challenge, probe, facts };
    if (type === 'ENROLL') {
      const result = await tokens.enrol(ask);
      return result.kind === 'malformed' ? undefined : this.#propose(session, 'enrolled', result, deviceKey);
    }
    const among = await this.#findExpected(session, shown);
    if (among === null) return undefined;
    const result = await tokens.identify({ ...ask, ...(among !== undefined && { among }) });
    return result.kind === 'match' ? this.#propose(session, 'matched', result, deviceKey) : undefined;
  }

  /** Returns the only person that it can be, undefined if it may be anyone, or null if that person does not exist. */
  async #findExpected({ owner, contents: { userId } }: Session<'verification'>, { passkey }: VerificationEvidence) {
    if (userId !== undefined) return (await this.#parts.tokens.findPerson(owner, userId))?.personId ?? null;
    return passkey?.personId;
  }

  /** Proposes the device that came along as the person's. Returns undefined if the person was deleted since. */
  async #propose(
    { owner, id }: Session<'verification'>,
    outcome: 'enrolled' | 'matched',
    { personId, puid, guid }: TokenPerson,
    deviceKey: Buffer | undefined,
  ): Promise<ComparedFace> {
    const person = { personId, puid, guid, by: 'server' } as const;
    if (!deviceKey) return { outcome, person };
    try {
      const deviceId = await this.#parts.devices.propose({ owner, personId, publicKey: deviceKey, session: id });
      return { outcome, person: { ...person, deviceId } };
    } catch (error) {
      if (isMissingReference(error)) return undefined;
      throw error;
    }
  }
}

function choosePurpose(
  session: Session<'verification'>,
  { passkey }: VerificationEvidence,
): 'enrol' | 'identify' | 'verify' {
  const { type } = session.contents;
  if (type === 'ENROLL') return 'enrol';
  return type === 'VERIFY' || passkey ? 'verify' : 'identify';
}

function readRetryAfter(error: unknown): Pick<VerificationEvidence, 'retryAfter'> {
  return error instanceof ThrottledError ? { retryAfter: error.retryAfter } : {};
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
