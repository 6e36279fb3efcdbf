// The token step: a challenge, the encrypted face for it, and what the service made of it.
import { createHash } from 'node:crypto';
import { CaptureFacts, type TokenChallengeReply, type TokenReply } from '@limen/contract';
import {
  CAPTURE_PLAINTEXT_BYTES,
  PERSON_DEVICE_KEY_BYTES,
  TOKEN_CALL_BYTES,
  TOKEN_CALL_VERSION,
  TOKEN_CALL_WITH_CAPTURE_BYTES,
  TOKEN_CALL_WITH_CAPTURE_VERSION,
  TOKEN_TRIES,
} from '@limen/plan';
import { KeyHolderUnavailable, PersonLocked, Throttled } from '../../../faces/keyholder/link/calls.ts';
import type { FaceTokens } from '../../../faces/tokens/open.ts';
import type { TokenPerson } from '../../../faces/tokens/tokens.ts';
import { QueueFullError } from '../../../platform/async/limiter.ts';
import { isMissingReference } from '../../../platform/base/database-failures.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Database } from '../../../platform/database/database.ts';
import { compileCheck } from '../../../platform/json/compile-check.ts';
import type { Signer } from '../../device/signature.ts';
import type { CallHandler, DeviceCalls, TakenCall } from '../../device/take-call.ts';
import type { Session } from '../../lifecycle/session.ts';
import { MAX_FACE_CHALLENGES } from '../../limits.ts';
import { isDevicePoint, type PersonDevices } from '../../proofs/devices.ts';
import type { Debug } from '../debug.ts';
import type { Voucher, Vouching } from '../vouching.ts';
import {
  changeEvidence,
  dropForeignPasskey,
  type Evidence,
  type EvidenceStore,
  type FoundPerson,
  listSpeaking,
  readEvidence,
  settle,
  without,
} from './evidence.ts';
import { noChallenge, noMoreChallenges, requireStep, stillWorking, translateRefusal } from './refusals.ts';

const BYTES_OF_VERSION: ReadonlyMap<number, number> = new Map([
  [TOKEN_CALL_VERSION, TOKEN_CALL_BYTES],
  [TOKEN_CALL_WITH_CAPTURE_VERSION, TOKEN_CALL_WITH_CAPTURE_BYTES],
]);

interface TokenCallsOptions {
  database: Database;
  calls: Pick<DeviceCalls, 'take'>;
  evidence: EvidenceStore;
  tokens: Pick<FaceTokens, 'openChallenge' | 'enrol' | 'identify' | 'findPerson' | 'discard'>;
  devices: Pick<PersonDevices, 'propose' | 'discard'>;
  vouching: Pick<Vouching, 'findVoucher'>;
  debug: Debug;
}

interface Pieces {
  /** Undefined where the page wants no device kept. */
  deviceKey: Buffer | undefined;
  probe: Buffer;
  /** What the device says of its camera, sealed. */
  capture: Buffer | undefined;
}

interface ShownFace {
  challenge: string;
  probe: Buffer;
  camera: CameraFacts;
}

interface Opening {
  shown: Evidence;
  /** What locks strangers out is not for them, and what they try counts for them. */
  vouchedBy: Voucher | undefined;
}

type Reserved = { reply: TokenReply } | { challenge: string; evidence: Evidence };
type Found = { person: FoundPerson; outcome: 'enrolled' | 'matched' } | undefined;

export function createTokenCalls(options: TokenCallsOptions) {
  const { database, calls, evidence, tokens, devices, vouching, debug } = options;

  return {
    challenge: (sessionId: SessionId, signer: Signer, address: string) =>
      calls.take(sessionId, signer, challengeHandler(address)),
    send: (sessionId: SessionId, signer: Signer, body: Buffer) => calls.take(sessionId, signer, sendHandler(body)),
  };

  function challengeHandler(address: string): CallHandler<'verification', Opening, TokenChallengeReply> {
    return {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'token');
        const before = await readEvidence(evidence, call, trx);
        if (before.challenges >= MAX_FACE_CHALLENGES) throw noMoreChallenges();
        const after = { ...before, challenges: before.challenges + 1 };
        await evidence.save(trx, call.session.id, after);
        const shown = settle(after, call.carried);
        return { shown, vouchedBy: await vouching.findVoucher(trx, listSpeaking(shown, call.carried)) };
      },
      async work(call, { shown, vouchedBy }) {
        const { session } = call;
        const { id, owner, token: sessionSecret } = session;
        const ask = { owner, purpose: purposeOf(session, shown), session: id, sessionSecret };
        try {
          const opened = await tokens.openChallenge({ ...ask, address, vouchedBy });
          const { challenge } = opened;
          await changeEvidence(evidence, call, (now) => ({ ...without(now, 'running'), challenge }));
          debug(session, 2, { purpose: ask.purpose }, 'a challenge was opened');
          return {
            outcome: 'ready',
            challenge,
            publicKey: base64(opened.publicKey),
            signature: base64(opened.signature),
            identity: base64(opened.identity),
            purpose: ask.purpose,
            expiresAt: new Date(opened.expiresAt).toISOString(),
            modelId: opened.modelId,
          };
        } catch (error) {
          // A challenge that was not had is not counted.
          await changeEvidence(evidence, call, (now) => ({ ...now, challenges: now.challenges - 1, ...waitOf(error) }));
          if (!(error instanceof Throttled)) throw translateRefusal(error);
          debug(session, 1, { retryAfter: error.retryAfter }, 'attempts are throttled');
          return { outcome: 'throttled', retryAfter: error.retryAfter };
        }
      },
    };
  }

  function sendHandler(body: Buffer): CallHandler<'verification', Reserved, TokenReply> {
    // Without what is sealed behind it: that is another text each time, also when the very same call comes again.
    const digest = createHash('sha256').update(body.subarray(0, TOKEN_CALL_BYTES)).digest('base64url');
    return {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'token');
        readPieces(body);
        const before = await readEvidence(evidence, call, trx);
        if (before.lastToken?.digest === digest) return { reply: before.lastToken.reply };
        if (before.running === digest) throw stillWorking();
        if (before.tries >= TOKEN_TRIES) return { reply: { outcome: 'not_recognized', triesLeft: 0 } };
        if (before.challenge === undefined) throw noChallenge();
        const after = { ...without(before, 'challenge', 'lastToken'), running: digest, tries: before.tries + 1 };
        await evidence.save(trx, call.session.id, after);
        return { challenge: before.challenge, evidence: after };
      },
      async work(call, reserved) {
        if ('reply' in reserved) return reserved.reply;
        const { session } = call;
        const { challenge } = reserved;
        const pieces = readPieces(body);
        try {
          const camera = pieces.capture ? await readCapture(call, pieces.capture) : {};
          const attempt = { challenge, probe: pieces.probe, camera };
          const compared = await compare(session, settle(reserved.evidence, call.carried), attempt);
          const found = await proposeDevice(session, compared, pieces);
          const deviceId = found?.person.deviceId;
          const { tries } = reserved.evidence;
          const reply: TokenReply = {
            outcome: found?.outcome ?? 'not_recognized',
            ...(deviceId !== undefined && { deviceId }),
            triesLeft: TOKEN_TRIES - tries,
          };
          await changeEvidence(evidence, call, (now) =>
            dropForeignPasskey({
              ...without(now, 'running', 'person', 'retryAfter'),
              ...(found && { person: found.person }),
              lastToken: { digest, reply },
            }),
          );
          debug(session, 1, { outcome: reply.outcome, triesLeft: reply.triesLeft }, 'a face was compared');
          return reply;
        } catch (error) {
          if (error instanceof PersonLocked) return sayLocked(call, digest, error);
          return giveBack(call, challenge, error);
        }
      },
    };
  }

  /** The face was compared, and what came of it is not told: the try is used up whosever face it was. */
  async function sayLocked(
    call: TakenCall<'verification'>,
    digest: string,
    { retryAfter }: PersonLocked,
  ): Promise<TokenReply> {
    const replyTo = ({ tries }: Evidence): TokenReply => {
      return { outcome: 'throttled', retryAfter, triesLeft: TOKEN_TRIES - tries };
    };
    const after = await changeEvidence(evidence, call, (now) => ({
      ...without(now, 'running', 'person'),
      retryAfter,
      lastToken: { digest, reply: replyTo(now) },
    }));
    debug(call.session, 1, { outcome: 'throttled' }, 'the person who is asked for is locked');
    return replyTo(after);
  }

  /** Nothing was compared: the try is not used up, and where the challenge still stands, neither is that. */
  async function giveBack(call: TakenCall<'verification'>, challenge: string, error: unknown): Promise<TokenReply> {
    const isThrottled = error instanceof Throttled;
    const translated = translateRefusal(error);
    const isDown = error instanceof KeyHolderUnavailable || error instanceof QueueFullError;
    const after = await changeEvidence(evidence, call, (now) => ({
      ...without(now, 'running'),
      tries: Math.max(0, now.tries - 1),
      ...(isDown && now.challenge === undefined && { challenge }),
      ...waitOf(error),
    })).catch(async (refusal) => {
      if (refusal instanceof AppError && isOver(refusal)) {
        await dropUnfinished(call.session);
        throw refusal;
      }
      return undefined;
    });
    debug(call.session, 1, { outcome: isThrottled ? 'throttled' : 'not compared' }, 'a face was not compared');
    if (!isThrottled || !after) throw translated;
    return { outcome: 'throttled', retryAfter: error.retryAfter, triesLeft: TOKEN_TRIES - after.tries };
  }

  /** The session ended while its face was compared: nobody is left to answer for a person made just now. */
  async function dropUnfinished({ id }: Session<'verification'>): Promise<void> {
    await database.transact(async (trx) => {
      await tokens.discard(trx, id);
      await devices.discard(trx, id);
    });
  }

  async function compare(session: Session<'verification'>, shown: Evidence, attempt: ShownFace): Promise<Found> {
    const { type } = session.contents;
    const { challenge, probe, camera } = attempt;
    const facts = { type, ...camera };
    const ask = { owner: session.owner, session: session.id, challenge, probe, facts };
    if (type === 'ENROLL') {
      const result = await tokens.enrol(ask);
      if (result.kind === 'malformed') return undefined;
      return { outcome: 'enrolled', person: { ...personOf(result), by: 'server' } };
    }
    const among = await expectedPerson(session, shown);
    // Nobody to compare with: deleted since, or never there.
    if (among === null) return undefined;
    const result = await tokens.identify({ ...ask, ...(among !== undefined && { among }) });
    if (result.kind !== 'match') return undefined;
    return { outcome: 'matched', person: { ...personOf(result), by: 'server' } };
  }

  /** The one person that it can be; undefined where it may be anybody, null where there is no such person. */
  async function expectedPerson(
    session: Session<'verification'>,
    { passkey }: Evidence,
  ): Promise<PersonId | undefined | null> {
    const { userId } = session.contents;
    if (userId !== undefined) return (await tokens.findPerson(session.owner, userId))?.personId ?? null;
    return passkey?.personId;
  }

  /** Notes the device that came along; a person who was deleted since they were found is nobody. */
  async function proposeDevice(
    { owner, id }: Session<'verification'>,
    found: Found,
    { deviceKey }: Pieces,
  ): Promise<Found> {
    if (!found || !deviceKey) return found;
    const { personId } = found.person;
    try {
      const deviceId = await devices.propose({ owner, personId, publicKey: deviceKey, session: id });
      return { ...found, person: { ...found.person, deviceId } };
    } catch (error) {
      if (isMissingReference(error)) return undefined;
      throw error;
    }
  }
}

export type TokenCalls = ReturnType<typeof createTokenCalls>;

function purposeOf(session: Session<'verification'>, { passkey }: Evidence): 'enrol' | 'identify' | 'verify' {
  const { type } = session.contents;
  if (type === 'ENROLL') return 'enrol';
  return type === 'VERIFY' || passkey ? 'verify' : 'identify';
}

function readPieces(body: Buffer): Pieces {
  const version = body[0];
  const bytes = version === undefined ? undefined : BYTES_OF_VERSION.get(version);
  if (bytes === undefined) {
    throw new AppError(
      'malformed_request',
      `The first byte must be the version, ${[...BYTES_OF_VERSION.keys()].join(' or ')}.`,
    );
  }
  if (body.length !== bytes) {
    throw new AppError('malformed_request', `The body must have ${bytes} bytes; this one has ${body.length}.`);
  }
  const probeAt = 1 + PERSON_DEVICE_KEY_BYTES;
  const key = body.subarray(1, probeAt);
  const hasKey = key.some((byte) => byte !== 0);
  if (hasKey && !isDevicePoint(key)) {
    throw new AppError('malformed_request', 'The key after the version must be a P-256 point, or zeros.');
  }
  return {
    deviceKey: hasKey ? key : undefined,
    probe: body.subarray(probeAt, TOKEN_CALL_BYTES),
    capture: version === TOKEN_CALL_WITH_CAPTURE_VERSION ? body.subarray(TOKEN_CALL_BYTES) : undefined,
  };
}

function personOf({ personId, puid, guid }: TokenPerson): TokenPerson {
  return { personId, puid, guid };
}

function waitOf(error: unknown): Pick<Evidence, 'retryAfter'> {
  return error instanceof Throttled ? { retryAfter: error.retryAfter } : {};
}

function isOver({ code }: AppError): boolean {
  return code === 'session_ended' || code === 'not_found';
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

const LABEL = 'limen-capture-v1';
const LENGTH_BYTES = 2;
const isCaptureFacts = compileCheck(CaptureFacts);

/** Named as the lines of the audit have it. */
type CameraFacts = Partial<Record<'light' | 'cameraWidth' | 'cameraHeight' | 'cameraRate', number>> & {
  orientation?: string;
};

async function readCapture({ open }: Pick<TakenCall, 'open'>, envelope: Uint8Array): Promise<CameraFacts> {
  const plaintext = await open(envelope, LABEL);
  const given = plaintext?.length === CAPTURE_PLAINTEXT_BYTES ? parse(plaintext) : undefined;
  if (!isCaptureFacts(given)) {
    throw new AppError(
      'malformed_request',
      'What follows the face must be CaptureFacts, sealed for this session and its plan.',
    );
  }
  const { light, width, height, rate, orientation } = given;
  return {
    ...(light !== undefined && { light }),
    ...(width !== undefined && { cameraWidth: width }),
    ...(height !== undefined && { cameraHeight: height }),
    ...(rate !== undefined && { cameraRate: rate }),
    ...(orientation !== undefined && { orientation }),
  };
}

function parse(plaintext: Buffer): unknown {
  const length = plaintext.readUInt16BE();
  try {
    return JSON.parse(plaintext.toString('utf8', LENGTH_BYTES, LENGTH_BYTES + length));
  } catch {
    return undefined;
  }
}
