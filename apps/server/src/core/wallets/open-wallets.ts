// Puts the verifier of wallets together: whom it trusts, where it looks for revocations, and what is counted.
import type { Foundation } from '../../platform/open-foundation.ts';
import { createStatusLists } from './status-lists.ts';
import { createTrustFolder } from './trust/trust-folder.ts';
import { createTrustedAnchors } from './trust/trusted-anchors.ts';
import { createWalletProofs, type WalletProofs } from './wallet-proofs.ts';

type OpenWallets = Pick<Foundation, 'sealer' | 'metrics' | 'clock' | 'log'> & {
  dataDir: string;
  /** Of the launch page. */
  origin: () => string;
};

export interface OpenedWallets {
  wallets: WalletProofs;
  close(): Promise<void>;
}

export function openWallets({ dataDir, sealer, metrics, clock, log, origin }: OpenWallets): OpenedWallets {
  const anchors = createTrustedAnchors({ folder: createTrustFolder(dataDir), sealer, clock, log });
  const statusLists = createStatusLists({ clock });
  const wallets = createWalletProofs({ anchors, statusLists, origin, clock, log });
  metrics.addCounters('limen_wallet_proofs_total', "Wallets' answers, by what became of them.", 'outcome', () =>
    wallets.counts(),
  );
  return {
    wallets,
    async close() {
      anchors.close();
      await statusLists.close();
    },
  };
}
