// Where features seal what they keep for a device: below them, for whoever seals everything anew.
import type { SessionId } from '../../platform/base/ids.ts';

export function selfiePlace(sessionId: SessionId, nonce: string): string {
  return `session_selfies/sealed/${sessionId}/${nonce}`;
}

export function walletLinkPlace(digest: string): string {
  return `wallet_links/sealed/${digest}`;
}
