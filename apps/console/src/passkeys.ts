// Answers the service's challenges with the browser's passkeys.

import type { AnswerView, QuestionView } from '@limen/server/console';
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { TEXTS } from './texts.ts';

const load = () => import('@simplewebauthn/browser');

export const hasPasskeys = () => typeof PublicKeyCredential === 'function';

export async function createPasskey({ ticket, options }: QuestionView): Promise<AnswerView> {
  const { startRegistration } = await load();
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  return { ticket, response: await hideBrowserReason(() => startRegistration({ optionsJSON })) };
}

export async function usePasskey({ ticket, options }: QuestionView): Promise<AnswerView> {
  const { startAuthentication } = await load();
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  return { ticket, response: await hideBrowserReason(() => startAuthentication({ optionsJSON })) };
}

/** The browser's reason is dropped: in every case no passkey was used. */
async function hideBrowserReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(TEXTS.signIn.closed, { cause });
  }
}
