// The browser's passkeys. Their library is loaded on demand.
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
    /** Loads the library in advance, because some browsers prompt only right after a press. */
    async prepare(): Promise<void> {
      await load();
    },
    /** Returns the response as JSON. Rejects if the prompt was closed, timed out or failed. */
    async ask(operation: PasskeyOperation, options: object): Promise<object> {
      const { startAuthentication, startRegistration } = await load();
      // Created by the service; the library only checks the format.
      return operation === 'register'
        ? startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
        : startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON });
    },
  };
}
