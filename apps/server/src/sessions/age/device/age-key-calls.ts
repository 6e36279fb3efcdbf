// An age key in place of the session's own check, and the making of one after it.
import type { MakeAgeKeyReply, PasskeyOptionsReply, UseAgeKeyReply, UseAgeKeyRequest } from '@limen/contract';
import { AGE_KEY_TRIES } from '@limen/plan';
import { AppError } from '../../../platform/base/errors.ts';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { OfferState } from '../../device/channel-state.ts';
import { refusal } from '../../device/refusals.ts';
import type { Signer } from '../../device/signature.ts';
import { advanceCounter } from '../../device/state.ts';
import { type ChannelLookup, type DeviceTurns, requireNewCounter } from '../../device/turns.ts';
import { isOfKind, type Session } from '../../lifecycle/session.ts';
import type { AgeKeys } from '../../proofs/age-keys/age-keys.ts';
import { endWithProof, type ProofParts, readSeen, requireAccepted } from './proofs.ts';

export function createAgeKeyCalls({ calls, evidence, endSession }: ProofParts, turns: DeviceTurns, ageKeys: AgeKeys) {
  return {
    useOptions: (sessionId: SessionId, signer: Signer): Promise<PasskeyOptionsReply> =>
      calls.take(sessionId, signer, {
        kind: 'age',
        async reserve(trx, call) {
          requireAgeKeys(call.session);
          const before = await evidence.read(trx, call);
          const attempt = before.ageKeyAttempts + 1;
          if (attempt > AGE_KEY_TRIES) {
            throw new AppError('forbidden', 'This session has no tries left for an age key; continue with its steps.');
          }
          await evidence.save(trx, call.session.id, { ...before, ageKeyAttempts: attempt, ageKeyOpen: attempt });
          return attempt;
        },
        work: async ({ session }, attempt) => ({
          publicKey: { ...(await ageKeys.assertionOptions({ sessionId: session.id, attempt })) },
        }),
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

    async makeOptions(sessionId: SessionId, signer: Signer, address: string | undefined): Promise<PasskeyOptionsReply> {
      const { session, proven, after } = await changeOffer(turns, sessionId, signer, ({ attempts }) => {
        if (attempts >= AGE_KEY_TRIES) throw noOffer();
        return { attempts: attempts + 1, open: attempts + 1, taken: false };
      });
      const { owner, apiKeyId } = session;
      const offered = { world: owner.world, ageOver: proven.ageOver, maker: { apiKeyId, address } };
      return { publicKey: { ...(await ageKeys.registrationOptions({ sessionId, attempt: after.attempts }, offered)) } };
    },

    async make(
      sessionId: SessionId,
      signer: Signer,
      response: Record<string, unknown>,
      address: string | undefined,
    ): Promise<MakeAgeKeyReply> {
      const { before } = await changeOffer(turns, sessionId, signer, (offer) => ({ ...offer, open: null }));
      const { open: attempt } = before;
      const made = attempt === null ? undefined : await ageKeys.verifyRegistration({ sessionId, attempt }, response);
      if (!made) return { outcome: 'refused' };
      const isKept = await turns.decide(sessionId, async (found) => {
        const { session, record, proven } = await requireOffered(turns, found, signer);
        const { owner, apiKeyId } = session;
        const offer = { ...record.state.offer, open: null, taken: true };
        return turns.saveIf({ session, record }, { ...record.state, offer }, (trx) =>
          ageKeys.add(trx, made, proven, { owner, apiKeyId, address }),
        );
      });
      if (isKept) turns.parts.onChange(sessionId);
      return { outcome: isKept ? 'made' : 'refused' };
    },
  };

  function requireAgeKeys(session: Session<'age'>) {
    if (ageKeys.isOn) return requireAccepted(session, 'age_key');
    throw new AppError('forbidden', 'This service accepts no age keys; continue with the steps of the session.');
  }
}

export type AgeKeyCalls = ReturnType<typeof createAgeKeyCalls>;

/** Changes the offer of a session that has ended, and uses up the call's counter. */
function changeOffer(
  turns: DeviceTurns,
  sessionId: SessionId,
  signer: Signer,
  next: (offer: OfferState) => OfferState,
) {
  return turns.decide(sessionId, async (found) => {
    const { session, record, proven } = await requireOffered(turns, found, signer);
    requireNewCounter(record, signer);
    const before = record.state.offer;
    const after = next(before);
    await turns.save({ session, record }, { ...advanceCounter(record.state, signer), offer: after });
    return { session, proven, before, after };
  });
}

async function requireOffered(turns: DeviceTurns, found: ChannelLookup, signer: Signer) {
  const { session, flow } = found;
  if (!isOfKind(session, 'age')) throw refusal('noSuchSession');
  const record = await turns.requireActive(found, signer.key);
  const offer = flow.endOf()?.ageKeyOffer && session.outcome?.ageKeyOffer;
  if (!offer || record.state.offer.taken || turns.now() >= offer.until) throw noOffer();
  return { session, record, proven: offer.proven };
}

function noOffer(): AppError {
  return new AppError('forbidden', 'This session offers nothing more; the view says what comes next.');
}
