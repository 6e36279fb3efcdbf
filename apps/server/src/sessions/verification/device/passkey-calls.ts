// The passkey step: what the browser is asked for, and whether its answer is taken.

import { createHash } from 'node:crypto';
import type { PasskeyOptionsReply, PasskeyReply, PasskeyRequest } from '@limen/contract';
import { PASSKEY_TRIES } from '@limen/plan';
import type { FaceTokens } from '../../../faces/tokens/open.ts';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import type { CallHandler, DeviceCalls, TakenCall } from '../../device/take-call.ts';
import { MAX_PASSKEY_ATTEMPTS } from '../../limits.ts';
import type { Passkeys } from '../../proofs/passkeys.ts';
import type { Debug } from '../debug.ts';
import {
  changeEvidence,
  type Evidence,
  type EvidenceStore,
  readEvidence,
  type ShownPasskey,
  settle,
  without,
} from './evidence.ts';
import { requireStep, stillWorking } from './refusals.ts';

interface PasskeyCallsOptions {
  calls: Pick<DeviceCalls, 'take'>;
  evidence: EvidenceStore;
  tokens: Pick<FaceTokens, 'findPerson'>;
  passkeys: Pick<Passkeys, 'registrationOptions' | 'verifyRegistration' | 'assertionOptions' | 'verifyAssertion'>;
  debug: Debug;
}

type Reserved =
  | { reply: PasskeyReply }
  /** `attempt` is the one that is answered: undefined when the last one was answered already. */
  | { attempt: number | undefined; personId: PersonId | undefined; triesLeft: number };

export function createPasskeyCalls(options: PasskeyCallsOptions) {
  const { calls, evidence, tokens, passkeys, debug } = options;

  const optionsHandler: CallHandler<'verification', Evidence, PasskeyOptionsReply> = {
    kind: 'verification',
    async reserve(trx, call) {
      requireStep(call, 'passkey');
      const before = await readEvidence(evidence, call, trx);
      if (before.passkeyAttempts >= MAX_PASSKEY_ATTEMPTS) throw noMorePasskeys();
      const passkeyAttempts = before.passkeyAttempts + 1;
      const after = { ...without(before, 'passkeyRunning'), passkeyAttempts, passkeyOpen: passkeyAttempts };
      await evidence.save(trx, call.session.id, after);
      return after;
    },
    async work(call, shown) {
      const { type, requester } = call.session.contents;
      const binding = bindingOf(call, shown.passkeyAttempts);
      if (type !== 'ENROLL') return optionsReply(await passkeys.assertionOptions(binding));
      const { person } = settle(shown, call.carried);
      if (!person) throw nobodyEnrolled();
      const { personId } = person;
      return optionsReply(await passkeys.registrationOptions(binding, { personId, requester }));
    },
  };

  return {
    options: (sessionId: SessionId, signer: Signer) => calls.take(sessionId, signer, optionsHandler),
    send: (sessionId: SessionId, signer: Signer, { response }: PasskeyRequest) =>
      calls.take(sessionId, signer, sendHandler(response)),
  };

  function sendHandler(response: Record<string, unknown>): CallHandler<'verification', Reserved, PasskeyReply> {
    const digest = createHash('sha256').update(JSON.stringify(response)).digest('base64url');
    return {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'passkey');
        const before = await readEvidence(evidence, call, trx);
        if (before.lastPasskey?.digest === digest) return { reply: before.lastPasskey.reply };
        if (before.passkeyTries >= PASSKEY_TRIES) return { reply: { outcome: 'refused', triesLeft: 0 } };
        if (before.passkeyRunning === digest) throw stillWorking();
        const passkeyTries = before.passkeyTries + 1;
        const after = { ...without(before, 'lastPasskey', 'passkeyOpen'), passkeyTries, passkeyRunning: digest };
        await evidence.save(trx, call.session.id, after);
        const { passkeyOpen: attempt } = before;
        const { person } = settle(before, call.carried);
        return { attempt, personId: person?.personId, triesLeft: PASSKEY_TRIES - passkeyTries };
      },
      async work(call, reserved) {
        if ('reply' in reserved) return reserved.reply;
        const { attempt, personId, triesLeft } = reserved;
        const verified =
          attempt === undefined
            ? undefined
            : await verify(call, attempt, personId, response).catch((error: unknown) => giveBack(call, attempt, error));
        let reply: PasskeyReply = { outcome: 'refused', triesLeft };
        await changeEvidence(evidence, call, (now) => {
          // Somebody else was found meanwhile: it was not made for them.
          const isForeign =
            verified && 'made' in verified && verified.personId !== settle(now, call.carried).person?.personId;
          const passkey = isForeign ? undefined : verified;
          reply = { outcome: passkey ? 'accepted' : 'refused', triesLeft };
          const rest = without(now, 'passkey', 'passkeyRunning');
          return { ...rest, ...(passkey && { passkey }), lastPasskey: { digest, reply } };
        });
        debug(call.session, 1, { outcome: reply.outcome, triesLeft: reply.triesLeft }, 'a passkey was shown');
        return reply;
      },
    };
  }

  /** Nothing was decided: the same answer may come again. */
  async function giveBack(call: TakenCall<'verification'>, attempt: number, error: unknown): Promise<never> {
    await changeEvidence(evidence, call, (now) => ({
      ...without(now, 'passkeyRunning'),
      passkeyTries: Math.max(0, now.passkeyTries - 1),
      passkeyOpen: now.passkeyOpen ?? attempt,
    })).catch(() => {});
    throw error;
  }

  async function verify(
    call: TakenCall<'verification'>,
    attempt: number,
    personId: PersonId | undefined,
    response: Record<string, unknown>,
  ): Promise<ShownPasskey | undefined> {
    const { owner } = call.session;
    const { type, userId } = call.session.contents;
    const binding = bindingOf(call, attempt);
    if (type === 'ENROLL') {
      if (personId === undefined) return undefined;
      const made = await passkeys.verifyRegistration(binding, personId, response);
      return made && { personId, made };
    }
    const used = await passkeys.verifyAssertion(binding, owner, response);
    if (!used) return undefined;
    // The passkey of somebody else speaks for nobody here.
    const expected = userId === undefined ? used : await tokens.findPerson(owner, userId);
    return expected?.personId === used.personId ? { ...used, onFirstDevice: call.isFirstDevice } : undefined;
  }
}

export type PasskeyCalls = ReturnType<typeof createPasskeyCalls>;

function bindingOf({ session, plan }: TakenCall<'verification'>, attempt: number) {
  return { sessionId: session.id, nonce: plan.nonce, attempt };
}

/** Plain JSON by nature. */
function optionsReply(options: object): PasskeyOptionsReply {
  return { publicKey: { ...options } };
}

function noMorePasskeys(): AppError {
  return new AppError('forbidden', 'This session has no tries left for a passkey.');
}

function nobodyEnrolled(): AppError {
  return new AppError('forbidden', 'A passkey belongs to a person, and no face has been enrolled in this session yet.');
}
