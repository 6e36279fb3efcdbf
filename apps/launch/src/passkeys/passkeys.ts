// The browser's passkeys. The library that speaks to them comes when they are asked for.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

export type PasskeyOperation = 'register' | 'assert';

export interface Passkeys {
  isSupported(): boolean;
  /** So that nothing comes between a press and the browser's question: some browsers ask only right after one. */
  prepare(): Promise<void>;
  /** What the browser gives, as JSON. Rejects where its question was closed, took too long, or has no answer. */
  ask(operation: PasskeyOperation, options: object): Promise<object>;
}

export function createPasskeys(): Passkeys {
  const load = () => import('@simplewebauthn/browser');
  return {
    isSupported: () => typeof PublicKeyCredential === 'function',
    async prepare() {
      await load();
    },
    async ask(operation, options) {
      const { startAuthentication, startRegistration } = await load();
      // The service made them; the library checks nothing but their form.
      return operation === 'register'
        ? startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
        : startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
    },
  };
}
