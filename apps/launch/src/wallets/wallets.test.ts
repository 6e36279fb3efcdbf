import { describe, expect, test } from 'vitest';
import { createWallets, type WalletBrowser } from './wallets.ts';

type Changes = Partial<Pick<WalletBrowser, 'DigitalCredential' | 'document'>> &
  Pick<WalletBrowser['navigator'], 'userActivation'>;

function createBrowser(changes: Changes = {}, knows?: readonly string[]) {
  const asked: object[] = [];
  const DigitalCredential = Object.assign(() => undefined, {
    ...(knows && { userAgentAllowsProtocol: (protocol: string) => knows.includes(protocol) }),
  });
  const credentials = {
    async get(options: object) {
      asked.push(options);
      return { type: 'digital', id: '', protocol: 'org-iso-mdoc', data: { response: 'a' } };
    },
  };
  const { userActivation, ...rest } = changes;
  const navigator = { credentials, ...(userActivation && { userActivation }) };
  const browser: WalletBrowser = { DigitalCredential, document: {}, navigator, ...rest };
  return { wallets: createWallets(browser), asked };
}

const REQUESTS = [
  { protocol: 'org-iso-mdoc', data: { deviceRequest: 'r' } },
  { protocol: 'openid4vp-v1-unsigned', data: { nonce: 'n' } },
];
const { signal } = new AbortController();

describe('wallets', () => {
  test('are supported if the browser can ask them and the embedding host allows it', () => {
    const framed = (isAllowed: boolean) => ({ document: { featurePolicy: { allowsFeature: () => isAllowed } } });
    expect(createBrowser().wallets.isSupported()).toBe(true);
    expect(createBrowser(framed(true)).wallets.isSupported()).toBe(true);
    expect(createBrowser(framed(false)).wallets.isSupported()).toBe(false);
    expect(createBrowser({ DigitalCredential: undefined }).wallets.isSupported()).toBe(false);
  });

  test('are asked in the protocols that the browser knows, and only their answer is returned', async () => {
    const safari = createBrowser({}, ['org-iso-mdoc']);
    expect(await safari.wallets.ask(REQUESTS, signal)).toEqual({ protocol: 'org-iso-mdoc', data: { response: 'a' } });
    expect(safari.asked).toEqual([{ digital: { requests: REQUESTS.slice(0, 1) }, mediation: 'required', signal }]);
    const silent = createBrowser();
    await silent.wallets.ask(REQUESTS, signal);
    expect(silent.asked).toMatchObject([{ digital: { requests: REQUESTS } }]);
  });

  test('may be asked while the browser remembers the press, or does not report it', () => {
    const pressed = (isActive: boolean) => createBrowser({ userActivation: { isActive } }).wallets;
    expect([pressed(true).mayAsk(), pressed(false).mayAsk(), createBrowser().wallets.mayAsk()]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
