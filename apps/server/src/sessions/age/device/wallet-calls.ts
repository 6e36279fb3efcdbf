// A wallet in place of the session's own check: asked through the browser of the session's device, answered once.
import type { UseWalletReply, UseWalletRequest, WalletOptionsReply } from '@limen/contract';
import { WALLET_TRIES } from '@limen/plan';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import type { CallHandler, DeviceCalls } from '../../device/take-call.ts';
import type { WalletProofs } from '../../proofs/wallets/proofs.ts';
import type { EndAgeSession } from '../end-session.ts';
import {
  askedOf,
  countWalletAttempt,
  endWithProof,
  type ProofEvidenceStore,
  readProofEvidence,
  readSeen,
  requireAccepted,
  type WalletStates,
} from './proofs.ts';

interface WalletCallsOptions {
  calls: Pick<DeviceCalls, 'take'>;
  wallets: Pick<WalletProofs, 'offers' | 'begin' | 'judge' | 'settle'>;
  evidence: ProofEvidenceStore;
  endSession: EndAgeSession;
}

export function createWalletCalls({ calls, wallets, evidence, endSession }: WalletCallsOptions) {
  const optionsHandler: CallHandler<'age', number, WalletOptionsReply> = {
    kind: 'age',
    reserve: (trx, call) => countWalletAttempt(wallets, evidence, trx, call),
    async work(call) {
      const { world, threshold } = askedOf(call.session);
      const { requests, states } = await wallets.begin(world, threshold);
      await call.keep(async (trx) => {
        const before = await readProofEvidence(evidence, call, trx);
        await evidence.save(trx, call.session.id, { ...before, walletOpen: states });
      });
      return { requests };
    },
  };

  return {
    options: (sessionId: SessionId, signer: Signer) => calls.take(sessionId, signer, optionsHandler),
    use: (sessionId: SessionId, signer: Signer, request: UseWalletRequest) =>
      calls.take(sessionId, signer, useHandler(request)),
  };

  function useHandler(request: UseWalletRequest): CallHandler<'age', Tried, UseWalletReply> {
    const { protocol, data, indicators } = request;
    return {
      kind: 'age',
      async reserve(trx, call) {
        requireAccepted(call.session, 'wallet');
        // Used up before it is looked at: an answer counts once, whatever comes of it.
        const { walletOpen: states = [], ...rest } = await readProofEvidence(evidence, call, trx);
        await evidence.save(trx, call.session.id, rest);
        return { states, triesLeft: Math.max(0, WALLET_TRIES - rest.walletAttempts) };
      },
      async work(call, { states, triesLeft }) {
        const seen = readSeen(indicators);
        const judged = await wallets.judge(states, call.session.owner.world, { protocol, data });
        if ('refused' in judged) return { outcome: 'refused', reason: judged.refused, triesLeft };
        await endWithProof(endSession, call, { wallet: judged.finding }, seen);
        wallets.settle('accepted');
        return { outcome: 'accepted', triesLeft };
      },
    };
  }
}

export type WalletCalls = ReturnType<typeof createWalletCalls>;

interface Tried {
  states: WalletStates;
  triesLeft: number;
}
