// The passkey step: the options for the browser, and the judgment of its answer.
import type { PasskeyOptionsReply, PasskeyReply, PasskeyRequest } from '@limen/contract';
import { PASSKEY_TRIES } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import type { PersonId, SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import { digestContent } from '../../device/state.ts';
import type { AcceptedCall } from '../../device/take-call.ts';
import { MAX_PASSKEY_ATTEMPTS } from '../../limits.ts';
import { type PasskeyEvidence, type StepParts, settle, without } from './evidence.ts';
import { requireStep, stillWorking } from './refusals.ts';

type ReservedPasskey =
  | { reply: PasskeyReply }
  /** `attempt` is undefined if the last options were answered already. */
  | { attempt: number | undefined; personId: PersonId | undefined; triesLeft: number };

export class PasskeyCalls {
  readonly #parts: StepParts;

  constructor(parts: StepParts) {
    this.#parts = parts;
  }

  options(sessionId: SessionId, signer: Signer): Promise<PasskeyOptionsReply> {
    const { calls, evidence, passkeys } = this.#parts;
    return calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call) {
        requireStep(call, 'passkey');
        const before = await evidence.read(trx, call);
        if (before.passkeyAttempts >= MAX_PASSKEY_ATTEMPTS) {
          throw new AppError('forbidden', 'This session has no tries left for a passkey.');
        }
        const passkeyAttempts = before.passkeyAttempts + 1;
        const after = { ...without(before, 'passkeyRunning'), passkeyAttempts, passkeyOpen: passkeyAttempts };
        await evidence.save(trx, call.session.id, after);
        return after;
      },
      async work(call, shown) {
        const { type, requester } = call.session.contents;
        const binding = createBinding(call, shown.passkeyAttempts);
        if (type !== 'ENROLL') return { publicKey: { ...(await passkeys.assertionOptions(binding)) } };
        const { person } = settle(shown, call.carried);
        if (!person) {
          const message = 'A passkey needs a person, and no face has been enrolled in this session yet.';
          throw new AppError('forbidden', message);
        }
        const { personId } = person;
        return { publicKey: { ...(await passkeys.registrationOptions(binding, { personId, requester })) } };
      },
    });
  }

  send(sessionId: SessionId, signer: Signer, { response }: PasskeyRequest): Promise<PasskeyReply> {
    const { calls, evidence, debug } = this.#parts;
    const digest = digestContent(JSON.stringify(response));
    return calls.take(sessionId, signer, {
      kind: 'verification',
      async reserve(trx, call): Promise<ReservedPasskey> {
        requireStep(call, 'passkey');
        const before = await evidence.read(trx, call);
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
      work: async (call, reserved) => {
        if ('reply' in reserved) return reserved.reply;
        const { attempt, personId, triesLeft } = reserved;
        const verified =
          attempt === undefined
            ? undefined
            : await this.#verify(call, attempt, personId, response).catch((error: unknown) =>
                this.#giveBack(call, attempt, error),
              );
        let reply: PasskeyReply = { outcome: 'refused', triesLeft };
        await evidence.change(call, (now) => {
          // A passkey that was made for someone else does not count if another person was found since.
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
    });
  }

  /** Gives the try back, because nothing was decided. */
  async #giveBack(call: AcceptedCall<'verification'>, attempt: number, error: unknown): Promise<never> {
    await this.#parts.evidence
      .change(call, (now) => ({
        ...without(now, 'passkeyRunning'),
        passkeyTries: Math.max(0, now.passkeyTries - 1),
        passkeyOpen: now.passkeyOpen ?? attempt,
      }))
      .catch(() => {});
    throw error;
  }

  async #verify(
    call: AcceptedCall<'verification'>,
    attempt: number,
    personId: PersonId | undefined,
    response: Record<string, unknown>,
  ): Promise<PasskeyEvidence | undefined> {
    const { tokens, passkeys } = this.#parts;
    const { owner } = call.session;
    const { type, userId } = call.session.contents;
    const binding = createBinding(call, attempt);
    if (type === 'ENROLL') {
      if (personId === undefined) return undefined;
      const made = await passkeys.verifyRegistration(binding, personId, response);
      return made && { personId, made };
    }
    const used = await passkeys.verifyAssertion(binding, owner, response);
    if (!used) return undefined;
    const expected = userId === undefined ? used : await tokens.findPerson(owner, userId);
    return expected?.personId === used.personId ? { ...used, onFirstDevice: call.isFirstDevice } : undefined;
  }
}

function createBinding({ session, plan }: AcceptedCall<'verification'>, attempt: number) {
  return { sessionId: session.id, nonce: plan.nonce, attempt };
}
