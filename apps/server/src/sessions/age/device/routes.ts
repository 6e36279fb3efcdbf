// HTTP of the calls that only an age session's device makes: proofs that people bring, and the age key that they take along.
import {
  ErrorReply,
  FinishWalletLinkRequest,
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
import { Type } from 'typebox';
import { knownClientAddress } from '../../../platform/http/limits/client-address.ts';
import { inOwnScope } from '../../../platform/http/own-scope.ts';
import type { HttpServer } from '../../../platform/http/types.ts';
import type { DeviceChannel } from '../../device/channel.ts';
import {
  badBody,
  COMMON_REFUSALS,
  DEVICE_PATH,
  deviceSchema,
  requireSessionFirst,
  signJsonRoutes,
} from '../../device/signed-routes.ts';
import { MAX_WALLET_ANSWER_BYTES, minutesInWords, WALLET_LINK_TTL_MS } from '../../limits.ts';
import type { AgeKeyCalls } from './age-key-calls.ts';
import type { WalletCalls } from './wallet-calls.ts';
import type { WalletLinks } from './wallet-links.ts';

const common = deviceSchema('Device channel: proofs');
const Nothing = Type.Object({});
const LINK_LIFE = minutesInWords(WALLET_LINK_TTL_MS);
const refusals = (forbidden: string) => ({
  ...badBody,
  ...COMMON_REFUSALS,
  403: ref(ErrorReply, `\`forbidden\`: ${forbidden} Or as for the other calls.`),
});
const notAccepted = refusals(
  `the session does not accept age keys, or has no tries left; it has ${AGE_KEY_TRIES} in all.`,
);
const notOffered = refusals('there is no offer: the view has `end.ageKeyOffer` while there is one.');

const noWallet = refusals(
  `the session does not accept wallets, no issuer is trusted here, or it has no tries left; it has ${WALLET_TRIES} in all.`,
);

export function registerAgeDeviceRoutes(
  app: HttpServer,
  {
    trustsProxy,
    ageKey,
    wallet,
    walletLinks,
    channel,
  }: {
    trustsProxy: boolean;
    ageKey: AgeKeyCalls;
    wallet: WalletCalls;
    walletLinks: Pick<WalletLinks, 'open' | 'finish'>;
    channel: Pick<DeviceChannel, 'requireSession'>;
  },
): void {
  inOwnScope(app, (scope) => registerAgeKey(scope, ageKey, trustsProxy));
  inOwnScope(app, (scope) => {
    requireSessionFirst(scope, channel);
    registerWallet(scope, wallet, walletLinks);
  });
}

function registerWallet(app: HttpServer, wallet: WalletCalls, links: Pick<WalletLinks, 'open' | 'finish'>): void {
  const { signed, signerOf } = signJsonRoutes(app, { bodyLimit: MAX_WALLET_ANSWER_BYTES });

  app.post(
    `${DEVICE_PATH}/wallet/options`,
    {
      ...signed('wallet/options'),
      schema: {
        ...common,
        summary: 'Get what the browser needs to ask a wallet',
        description:
          'At any time while the session is open; no body or `{}`. Good for one call of `wallet`. One element is asked for: that the age is reached.',
        body: Nothing,
        response: { 200: ref(WalletOptionsReply), ...noWallet },
      },
    },
    async (request) => wallet.options(request.params.sessionId, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/wallet`,
    {
      ...signed('wallet'),
      schema: {
        ...common,
        summary: 'Prove the age with a wallet',
        description:
          'If the answer holds, the session ends with it. Otherwise it goes on with its steps. Nothing of the attestation is kept.',
        body: UseWalletRequest,
        response: { 200: ref(UseWalletReply), ...noWallet },
      },
    },
    async (request) => wallet.use(request.params.sessionId, signerOf(request), request.body),
  );

  app.post(
    `${DEVICE_PATH}/wallet/link`,
    {
      ...signed('wallet/link'),
      schema: {
        ...common,
        summary: 'Get links for a wallet that the browser cannot ask',
        description: `To be shown as QR codes to another device or, with \`sameDevice\`, opened on this one. The wallet sends its answer to the service itself, once, within ${LINK_LIFE}; if it holds, the session ends with it, which the view says. Links from before no longer work.`,
        body: WalletLinkRequest,
        response: { 200: ref(WalletLinkReply), ...noWallet },
      },
    },
    async (request) => links.open(request.params.sessionId, signerOf(request), request.body),
  );

  app.post(
    `${DEVICE_PATH}/wallet/link/finish`,
    {
      ...signed('wallet/link/finish'),
      schema: {
        ...common,
        summary: 'Come back from a wallet on this device',
        description: `With the code that the wallet led back with, on the device that asked for the link, within ${LINK_LIFE}: the session ends with what the wallet showed. A code works once.`,
        body: FinishWalletLinkRequest,
        response: { 200: ref(UseWalletReply), ...noWallet },
      },
    },
    async (request) => links.finish(request.params.sessionId, signerOf(request), request.body.responseCode),
  );
}

function registerAgeKey(app: HttpServer, ageKey: AgeKeyCalls, trustsProxy: boolean): void {
  const { signed, signerOf } = signJsonRoutes(app);
  const limited = {
    429: ref(ErrorReply, 'Too many age keys were made in this hour, with the host’s API key or from this address.'),
  };

  app.post(
    `${DEVICE_PATH}/age-key/options`,
    {
      ...signed('age-key/options'),
      schema: {
        ...common,
        summary: 'Get what the browser needs to use an age key',
        description: 'At any time while the session is open; no body or `{}`. Good for one call of `age-key`.',
        body: Nothing,
        response: { 200: ref(PasskeyOptionsReply), ...notAccepted },
      },
    },
    async (request) => ageKey.useOptions(request.params.sessionId, signerOf(request)),
  );

  app.post(
    `${DEVICE_PATH}/age-key`,
    {
      ...signed('age-key'),
      schema: {
        ...common,
        summary: 'Prove the age with an age key',
        description:
          'If the key is good for what the host asks, the session ends with it. Otherwise it goes on with its steps.',
        body: UseAgeKeyRequest,
        response: { 200: ref(UseAgeKeyReply), ...notAccepted },
      },
    },
    async (request) => ageKey.use(request.params.sessionId, signerOf(request), request.body),
  );

  app.post(
    `${DEVICE_PATH}/age-key/new/options`,
    {
      ...signed('age-key/new/options'),
      schema: {
        ...common,
        summary: 'Get what the browser needs to create an age key',
        description:
          'After the end, on the device that finished, while the view has `end.ageKeyOffer`; no body or `{}`. Good for one call of `age-key/new`.',
        body: Nothing,
        response: { 200: ref(PasskeyOptionsReply), ...notOffered, ...limited },
      },
    },
    async (request) =>
      ageKey.makeOptions(request.params.sessionId, signerOf(request), knownClientAddress(request, trustsProxy)),
  );

  app.post(
    `${DEVICE_PATH}/age-key/new`,
    {
      ...signed('age-key/new'),
      schema: {
        ...common,
        summary: 'Send the age key that was created',
        description:
          'One per session. Kept, sealed: its public key, the age proven, by which method, in which month, how it was earned, and digests of the customer and the API key.',
        body: MakeAgeKeyRequest,
        response: { 200: ref(MakeAgeKeyReply), ...notOffered },
      },
    },
    async (request) => {
      const address = knownClientAddress(request, trustsProxy);
      return ageKey.make(request.params.sessionId, signerOf(request), request.body.response, address);
    },
  );
}
