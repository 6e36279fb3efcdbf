// HTTP of the calls that only an age session's device makes: proofs of an age, and making an age key.
import {
  FinishWalletLinkRequest,
  formatMinutes,
  MakeAgeKeyReply,
  MakeAgeKeyRequest,
  PasskeyOptionsReply,
  ref,
  UseAgeKeyReply,
  UseAgeKeyRequest,
  UseWalletReply,
  UseWalletRequest,
  WalletLinkReply,
  WalletLinkRequest,
  WalletOptionsReply,
} from '@limen/contract';
import { AGE_KEY_TRIES, WALLET_TRIES } from '@limen/plan';
import { knownClientAddress } from '../../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import { type AddJsonRoute, jsonRoutes, requireSessionFirst } from '../../device/signed-routes.ts';
import type { Sessions } from '../../lifecycle/sessions.ts';
import { MAX_WALLET_ANSWER_BYTES, WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { AgeKeyCalls } from './age-key-calls.ts';
import type { WalletCalls } from './wallet-calls.ts';

const TAG = 'Device channel: proofs';
const LINK_LIFE = formatMinutes(WALLET_LINK_TTL_MS);
const forbidden = (why: string) => ({ 403: `\`forbidden\`: ${why} Or as for the other calls.` });
const notAccepted = forbidden(
  `the session does not accept age keys, or has no tries left; it has ${AGE_KEY_TRIES} in all.`,
);
const notOffered = forbidden('there is no offer: the view has `end.ageKeyOffer` while there is one.');
const noWallet = forbidden(
  `the session does not accept wallets, no issuer is trusted here, or it has no tries left; it has ${WALLET_TRIES} in all.`,
);

interface AgeDeviceRoutes {
  trustsProxy: boolean;
  ageKey: AgeKeyCalls;
  wallet: WalletCalls;
  sessions: Pick<Sessions, 'find'>;
}

export function registerAgeDeviceRoutes(app: HttpServer, routes: AgeDeviceRoutes): void {
  inOwnScope(app, (scope) => addAgeKey(jsonRoutes(scope, TAG), routes));
  inOwnScope(app, (scope) => {
    requireSessionFirst(scope, routes.sessions);
    addWallet(jsonRoutes(scope, TAG, MAX_WALLET_ANSWER_BYTES), routes);
  });
}

function addWallet(post: AddJsonRoute, { wallet }: AgeDeviceRoutes): void {
  post('wallet/options', {
    summary: 'Get what the browser needs to ask a wallet',
    description:
      'At any time while the session is open; no body or `{}`. Good for one call of `wallet`. One element is asked for: that the age is reached.',
    reply: ref(WalletOptionsReply),
    errors: noWallet,
    handle: (id, signer) => wallet.options(id, signer),
  });

  post('wallet', {
    summary: 'Prove the age with a wallet',
    description:
      'If the answer holds, the session ends with it. Otherwise it goes on with its steps. Nothing of the attestation is kept.',
    body: UseWalletRequest,
    reply: ref(UseWalletReply),
    errors: noWallet,
    handle: (id, signer, body) => wallet.use(id, signer, body),
  });

  post('wallet/link', {
    summary: 'Get links for a wallet that the browser cannot ask',
    description: `To be shown as QR codes to another device or, with \`sameDevice\`, opened on this one. The wallet sends its answer to the service itself, once, within ${LINK_LIFE}; if it holds, the session ends with it, which the view says. Links from before no longer work.`,
    body: WalletLinkRequest,
    reply: ref(WalletLinkReply),
    errors: noWallet,
    handle: (id, signer, body) => wallet.openLinks(id, signer, body),
  });

  post('wallet/link/finish', {
    summary: 'Come back from a wallet on this device',
    description: `With the code that the wallet led back with, on the device that asked for the link, within ${LINK_LIFE}: the session ends with what the wallet showed. A code works once.`,
    body: FinishWalletLinkRequest,
    reply: ref(UseWalletReply),
    errors: noWallet,
    handle: (id, signer, body) => wallet.finishLink(id, signer, body),
  });
}

function addAgeKey(post: AddJsonRoute, { ageKey, trustsProxy }: AgeDeviceRoutes): void {
  post('age-key/options', {
    summary: 'Get what the browser needs to use an age key',
    description: 'At any time while the session is open; no body or `{}`. Good for one call of `age-key`.',
    reply: ref(PasskeyOptionsReply),
    errors: notAccepted,
    handle: (id, signer) => ageKey.useOptions(id, signer),
  });

  post('age-key', {
    summary: 'Prove the age with an age key',
    description:
      'If the key is good for what the host asks, the session ends with it. Otherwise it goes on with its steps.',
    body: UseAgeKeyRequest,
    reply: ref(UseAgeKeyReply),
    errors: notAccepted,
    handle: (id, signer, body) => ageKey.use(id, signer, body),
  });

  post('age-key/new/options', {
    summary: 'Get what the browser needs to create an age key',
    description:
      'After the end, on the device that finished, while the view has `end.ageKeyOffer`; no body or `{}`. Good for one call of `age-key/new`.',
    reply: ref(PasskeyOptionsReply),
    errors: {
      ...notOffered,
      429: 'Too many age keys were made in this hour, with the host’s API key or from this address.',
    },
    handle: (sessionId, signer, _body, request) =>
      ageKey.makeOptions(sessionId, signer, knownClientAddress(request, trustsProxy)),
  });

  post('age-key/new', {
    summary: 'Send the age key that was created',
    description:
      'One per session. Kept, sealed: its public key, the age proven, by which method, in which month, how it was earned, and digests of the customer and the API key.',
    body: MakeAgeKeyRequest,
    reply: ref(MakeAgeKeyReply),
    errors: notOffered,
    handle: (sessionId, signer, { response }, request) =>
      ageKey.make(sessionId, signer, response, knownClientAddress(request, trustsProxy)),
  });
}
