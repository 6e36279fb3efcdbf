// A wallet in place of the session's own check: asked through the browser of the session's device, answered once.
import type { UseWalletReply, UseWalletRequest, WalletOptionsReply } from '@limen/contract';
import { WALLET_TRIES } from '@limen/plan';
import type { SessionId } from '../../../platform/base/ids.ts';
import type { Signer } from '../../device/signature.ts';
import type { WalletProofs } from '../../proofs/wallets/proofs.ts';
import { askedOf, countWalletAttempt, endWithProof, type ProofParts, readSeen, requireAccepted } from './proofs.ts';

export function createWalletCalls({ calls, evidence, endSession }: ProofParts, wallets: WalletProofs) {
  return {
    options: (sessionId: SessionId, signer: Signer): Promise<WalletOptionsReply> =>
      calls.take(sessionId, signer, {
        kind: 'age',
        reserve: (trx, call) => countWalletAttempt(wallets, evidence, trx, call),
        async work(call) {
          const { world, threshold } = askedOf(call.session);
          const { requests, states } = await wallets.begin(world, threshold);
          await evidence.change(call, (before) => ({ ...before, walletOpen: states }));
          return { requests };
        },
      }),

    use(sessionId: SessionId, signer: Signer, request: UseWalletRequest): Promise<UseWalletReply> {
      const { protocol, data, indicators } = request;
      return calls.take(sessionId, signer, {
        kind: 'age',
        async reserve(trx, call) {
          requireAccepted(call.session, 'wallet');
          // Used up before it is looked at: an answer counts once, whether it is accepted or not.
          const { walletOpen: states = [], ...rest } = await evidence.read(trx, call);
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
      });
    },
  };
}

export type WalletCalls = ReturnType<typeof createWalletCalls>;
