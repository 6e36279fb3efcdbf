// Device calls of an age session for proofs, and for creating an age key.
import type {
  FinishWalletLinkRequest,
  MakeAgeKeyReply,
  PasskeyOptionsReply,
  SeenIndicators,
  UseAgeKeyReply,
  UseAgeKeyRequest,
  UseWalletReply,
  UseWalletRequest,
  WalletLinkReply,
  WalletLinkRequest,
  WalletOptionsReply,
} from '@limen/contract';
import type { CallOptions } from '../http/exchange.ts';
import type { DeviceCall } from './exchange.ts';

export interface UseProofOptions extends CallOptions {
  /** Browser indicators, which count toward the risk as those of a capture do. */
  indicators?: SeenIndicators | undefined;
}

export type ProofCalls = ReturnType<typeof createProofCalls>;

export type WalletAnswer = Pick<UseWalletRequest, 'protocol' | 'data'>;

type SendDeviceCall = <Result>(call: DeviceCall) => Promise<Result>;

/** `send` runs one call at a time. */
export function createProofCalls(send: SendDeviceCall) {
  return {
    /**
     * Returns options for `navigator.credentials.get`, if the view's `asks.proofs` contains
     * `age_key`. Requires a claim.
     */
    ageKeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      send({ operation: 'age-key/options', json: {}, ...options }),
    /** Sends the browser's response as JSON. If accepted, the session ends. */
    useAgeKey(response: object, { indicators, signal }: UseProofOptions = {}): Promise<UseAgeKeyReply> {
      const json: UseAgeKeyRequest = { response: { ...response }, ...(indicators && { indicators }) };
      return send({ operation: 'age-key', json, signal });
    },
    /**
     * Returns options for `navigator.credentials.get({ digital })`, if the view's `asks.proofs`
     * contains `wallet`. Requires a claim.
     */
    walletOptions: (options: CallOptions = {}): Promise<WalletOptionsReply> =>
      send({ operation: 'wallet/options', json: {}, ...options }),
    /** Sends the protocol and data that the browser returned. If accepted, the session ends. */
    useWallet({ protocol, data }: WalletAnswer, { indicators, signal }: UseProofOptions = {}): Promise<UseWalletReply> {
      const json: UseWalletRequest = { protocol, data, ...(indicators && { indicators }) };
      return send({ operation: 'wallet', json, signal });
    },
    /**
     * Returns links for wallets that the browser cannot reach, to be shown as QR codes. The wallet
     * responds to the service directly; if accepted, the session ends, as the view shows. Links
     * with `sameDevice` are opened on this device, see `finishWalletLink`.
     */
    walletLinks({
      indicators,
      sameDevice,
      signal,
    }: UseProofOptions & { sameDevice?: boolean } = {}): Promise<WalletLinkReply> {
      const json: WalletLinkRequest = { ...(indicators && { indicators }), ...(sameDevice && { sameDevice }) };
      return send({ operation: 'wallet/link', json, signal });
    },
    /**
     * Sends the `responseCode` of the URL that the wallet opened in this browser after a
     * `sameDeviceLink`. If accepted, the session ends.
     */
    finishWalletLink(responseCode: string, { signal }: CallOptions = {}): Promise<UseWalletReply> {
      const json: FinishWalletLinkRequest = { responseCode };
      return send({ operation: 'wallet/link/finish', json, signal });
    },
    /** Returns options for `navigator.credentials.create`, while the view has `end.ageKeyOffer`. */
    newAgeKeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      send({ operation: 'age-key/new/options', json: {}, ...options }),
    /** Sends the browser's response as JSON. */
    makeAgeKey: (response: object, options: CallOptions = {}): Promise<MakeAgeKeyReply> =>
      send({ operation: 'age-key/new', json: { response }, ...options }),
  };
}
