// The device's calls of an age session about proofs that people bring, and the age key that they may take along.
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
  /** What the browser shows of itself; it counts in the risk as that of a capture does. */
  indicators?: SeenIndicators | undefined;
}

export type ProofCalls = ReturnType<typeof createProofCalls>;

export type WalletAnswer = Pick<UseWalletRequest, 'protocol' | 'data'>;

type Send = <Result>(call: DeviceCall) => Promise<Result>;

/** `send` runs one call at a time. */
export function createProofCalls(send: Send) {
  return {
    /** For `navigator.credentials.get`; where the view's `asks.proofs` names `age_key`. Needs a claim before. */
    ageKeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      send({ operation: 'age-key/options', json: {}, ...options }),
    /** What the browser gave for it, as JSON. Accepted, the session has ended with it. */
    useAgeKey(response: object, { indicators, signal }: UseProofOptions = {}): Promise<UseAgeKeyReply> {
      const json: UseAgeKeyRequest = { response: { ...response }, ...(indicators && { indicators }) };
      return send({ operation: 'age-key', json, signal });
    },
    /** For `navigator.credentials.get({ digital })`; where the view's `asks.proofs` names `wallet`. Needs a claim before. */
    walletOptions: (options: CallOptions = {}): Promise<WalletOptionsReply> =>
      send({ operation: 'wallet/options', json: {}, ...options }),
    /** The protocol and data that the browser gave for it. Accepted, the session has ended with it. */
    useWallet({ protocol, data }: WalletAnswer, { indicators, signal }: UseProofOptions = {}): Promise<UseWalletReply> {
      const json: UseWalletRequest = { protocol, data, ...(indicators && { indicators }) };
      return send({ operation: 'wallet', json, signal });
    },
    /**
     * Links for wallets that the browser cannot ask, to be shown as QR codes. The wallet answers the service itself; accepted, the
     * session has ended with it, which the view says. Those of `sameDevice` are to be opened here: see `finishWalletLink`.
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
     * The `responseCode` of the address that the wallet opened in this browser, once it has answered a `sameDeviceLink`. Accepted,
     * the session has ended with it.
     */
    finishWalletLink(responseCode: string, { signal }: CallOptions = {}): Promise<UseWalletReply> {
      const json: FinishWalletLinkRequest = { responseCode };
      return send({ operation: 'wallet/link/finish', json, signal });
    },
    /** For `navigator.credentials.create`; after the end, while the view has `end.ageKeyOffer`. */
    newAgeKeyOptions: (options: CallOptions = {}): Promise<PasskeyOptionsReply> =>
      send({ operation: 'age-key/new/options', json: {}, ...options }),
    /** What the browser gave for it, as JSON. */
    makeAgeKey: (response: object, options: CallOptions = {}): Promise<MakeAgeKeyReply> =>
      send({ operation: 'age-key/new', json: { response }, ...options }),
  };
}
