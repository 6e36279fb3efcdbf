// Wallets of the browser, through the Digital Credentials API. Only the service reads their
// answers.
import type { WalletAnswer } from '@limen/sdk/device';

export interface WalletRequest {
  protocol: string;
  data: object;
}

export type Wallets = ReturnType<typeof createWallets>;

/** Parts of `window` that type libraries lack. */
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
    // An embedding host has to allow it. If the browser does not report the policy, try.
    isSupported: (): boolean =>
      typeof browser.DigitalCredential === 'function' &&
      (browser.document.featurePolicy?.allowsFeature('digital-credentials-get') ?? true),
    /** Whether the last press still permits a prompt. Browsers forget it after some seconds. */
    mayAsk: (): boolean => browser.navigator.userActivation?.isActive ?? true,
    /** Rejects if the prompt was declined or closed, or no wallet answers. */
    async ask(requests: readonly WalletRequest[], signal: AbortSignal): Promise<WalletAnswer> {
      // Some browsers reject the whole request for one unknown protocol.
      const known = requests.filter(
        ({ protocol }) => browser.DigitalCredential?.userAgentAllowsProtocol?.(protocol) ?? true,
      );
      const options = { digital: { requests: known }, mediation: 'required', signal };
      const { protocol, data } = (await browser.navigator.credentials.get(options)) as WalletAnswer;
      return { protocol, data };
    },
  };
}
