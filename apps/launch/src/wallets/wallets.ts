// The wallets that the browser knows, by the Digital Credentials API. What they answer is for the service to read.
import type { WalletAnswer } from '@limen/sdk/device';

export interface WalletRequest {
  protocol: string;
  data: object;
}

export type Wallets = ReturnType<typeof createWallets>;

/** What no library of types has yet. */
export interface WalletBrowser {
  DigitalCredential?: undefined | { userAgentAllowsProtocol?(protocol: string): boolean };
  document: { featurePolicy?: { allowsFeature(feature: string): boolean } };
  navigator: {
    userActivation?: { isActive: boolean };
    credentials: { get(options: object): Promise<unknown> };
  };
}

export function createWallets(browser: WalletBrowser) {
  return {
    // A host that frames the page has to allow it; where the browser does not say, the question is tried.
    isSupported: (): boolean =>
      typeof browser.DigitalCredential === 'function' &&
      (browser.document.featurePolicy?.allowsFeature('digital-credentials-get') ?? true),
    /** Whether the browser still takes the last press for a wish to be asked: it forgets one after some seconds. */
    mayAsk: (): boolean => browser.navigator.userActivation?.isActive ?? true,
    /** Rejects where the question was declined or closed, or no wallet has an answer. */
    async ask(requests: readonly WalletRequest[], signal: AbortSignal): Promise<WalletAnswer> {
      // Some refuse the whole question for one protocol that they do not know.
      const known = requests.filter(
        ({ protocol }) => browser.DigitalCredential?.userAgentAllowsProtocol?.(protocol) ?? true,
      );
      const options = { digital: { requests: known }, mediation: 'required', signal };
      const { protocol, data } = (await browser.navigator.credentials.get(options)) as WalletAnswer;
      return { protocol, data };
    },
  };
}
