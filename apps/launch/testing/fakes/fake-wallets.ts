// A browser with a wallet that answers, declines or waits.
import type { WalletRequest, Wallets } from '../../src/wallets/wallets.ts';

export interface FakeWallets extends Wallets {
  isThere: boolean;
  /** Whether the browser still remembers the press. */
  remembersPress: boolean;
  conduct: 'answers' | 'declines' | 'waits';
  readonly asked: readonly (readonly WalletRequest[])[];
}

export function createFakeWallets(): FakeWallets {
  const asked: (readonly WalletRequest[])[] = [];
  const wallets: FakeWallets = {
    isThere: true,
    remembersPress: true,
    conduct: 'answers',
    asked,
    isSupported: () => wallets.isThere,
    mayAsk: () => wallets.remembersPress,
    async ask(requests, signal) {
      asked.push(requests);
      if (wallets.conduct === 'declines') throw new DOMException('declined', 'NotAllowedError');
      if (wallets.conduct === 'answers') return { protocol: requests[0]!.protocol, data: { response: 'a' } };
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  return wallets;
}
