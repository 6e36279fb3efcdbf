// The browser's passkeys. The library that speaks to them comes when they are asked for.
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

export type PasskeyOperation = 'register' | 'assert';

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys() {
  const load = () => import('@simplewebauthn/browser');
  return {
    isSupported: (): boolean => typeof PublicKeyCredential === 'function',
    /** So that nothing comes between a press and the browser's question: some browsers ask only right after one. */
    async prepare(): Promise<void> {
      await load();
    },
    /** What the browser gives, as JSON. Rejects where its question was closed, took too long, or has no answer. */
    async ask(operation: PasskeyOperation, options: object): Promise<object> {
      const { startAuthentication, startRegistration } = await load();
      // The service made them; the library checks nothing but their form.
      return operation === 'register'
        ? startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
        : startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
    },
  };
}
