// An age key in place of the session's own check, and the making of one after it.
import type { MakeAgeKeyReply, PasskeyOptionsReply, UseAgeKeyReply, UseAgeKeyRequest } from '@limen/contract';
import { AGE_KEY_TRIES } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import type { OfferCalls } from '../../device/take-call.ts';
import type { EarnedAge, ProofSettings } from '../../lifecycle/kinds.ts';
import type { Session } from '../../lifecycle/session.ts';
import type { AgeKeys } from '../../proofs/age-keys/age-keys.ts';
import { endWithProof, type ProofParts, readSeen, requireAccepted } from './proofs.ts';

export function createAgeKeyCalls({ calls, evidence, endSession }: ProofParts, offers: OfferCalls, ageKeys: AgeKeys) {
  return {
    useOptions: (sessionId: SessionId, signer: Signer): Promise<PasskeyOptionsReply> =>
      calls.take(sessionId, signer, {
        kind: 'age',
        async reserve(trx, call) {
          requireAgeKeys(call.session);
          const before = await evidence.read(trx, call);
          const attempt = before.ageKeyAttempts + 1;
          if (attempt > AGE_KEY_TRIES) throw noMoreTries();
          await evidence.save(trx, call.session.id, { ...before, ageKeyAttempts: attempt, ageKeyOpen: attempt });
          return attempt;
        },
        work: async ({ session }, attempt) =>
          optionsReply(await ageKeys.assertionOptions({ sessionId: session.id, attempt })),
      }),

    use: (sessionId: SessionId, signer: Signer, { response, indicators }: UseAgeKeyRequest): Promise<UseAgeKeyReply> =>
      calls.take(sessionId, signer, {
        kind: 'age',
        async reserve(trx, call) {
          const proofs = requireAgeKeys(call.session);
          const { ageKeyOpen: attempt, ...rest } = await evidence.read(trx, call);
          await evidence.save(trx, call.session.id, rest);
          return { proofs, attempt, triesLeft: AGE_KEY_TRIES - rest.ageKeyAttempts };
        },
        async work(call, { proofs, attempt, triesLeft }) {
          const seen = readSeen(indicators);
          // The last options were answered already.
          if (attempt === undefined) return { outcome: 'refused', reason: 'not_valid', triesLeft };
          const { session } = call;
          const { ageThreshold, documentAgeThreshold, light } = session.contents.settings;
          const { ageKeyMaxDays: maxDays, ageKeyStrength: strength, ageKeyFrom: from } = proofs;
          const demand = { maxDays, strength, needsLight: light === 'required', ageThreshold, documentAgeThreshold };
          const asker = { ...demand, owner: session.owner, from };
          const used = await ageKeys.use({ sessionId: session.id, attempt }, asker, response);
          if ('refused' in used) return { outcome: 'refused', reason: used.refused, triesLeft };
          await endWithProof(endSession, call, { ageKey: used.proven }, seen);
          return { outcome: 'accepted', triesLeft };
        },
      }),

    /** `address` is the client's, if it is known. */
    async makeOptions(sessionId: SessionId, signer: Signer, address: string | undefined): Promise<PasskeyOptionsReply> {
      const { session, attempt } = await offers.begin(sessionId, signer, AGE_KEY_TRIES);
      const { ageOver } = offeredBy(session);
      const { owner, apiKeyId } = session;
      const offered = { world: owner.world, ageOver, maker: { apiKeyId, address } };
      return optionsReply(await ageKeys.registrationOptions({ sessionId, attempt }, offered));
    },

    async make(
      sessionId: SessionId,
      signer: Signer,
      response: Record<string, unknown>,
      address: string | undefined,
    ): Promise<MakeAgeKeyReply> {
      const { session, attempt } = await offers.answer(sessionId, signer);
      const made = attempt === null ? undefined : await ageKeys.verifyRegistration({ sessionId, attempt }, response);
      if (!made) return { outcome: 'refused' };
      const { owner, apiKeyId } = session;
      const isKept = await offers.take(sessionId, signer, (trx) =>
        ageKeys.add(trx, made, offeredBy(session), { owner, apiKeyId, address }),
      );
      return { outcome: isKept ? 'made' : 'refused' };
    },
  };

  function requireAgeKeys(session: Session<'age'>): ProofSettings {
    if (ageKeys.isOn) return requireAccepted(session, 'age_key');
    throw new AppError('forbidden', 'This service accepts no age keys; continue with the steps of the session.');
  }
}

export type AgeKeyCalls = ReturnType<typeof createAgeKeyCalls>;

function offeredBy({ outcome }: Session<'age'>): EarnedAge {
  if (!outcome?.ageKeyOffer) throw new Error('the session has no offer'); // the channel has looked
  return outcome.ageKeyOffer.proven;
}

/** Plain JSON by nature. */
function optionsReply(options: object): PasskeyOptionsReply {
  return { publicKey: { ...options } };
}

function noMoreTries(): AppError {
  return new AppError('forbidden', 'This session has no tries left for an age key; continue with its steps.');
}
