// Options for enrolling and recognizing a face, and the resulting request.
import type { CreateVerificationSessionRequest } from '@limen/sdk';

export type Operation = CreateVerificationSessionRequest['type'];
export type Purpose = 'AGE' | Operation;

export const PURPOSES: readonly { purpose: Purpose; title: string; about: string }[] = [
  { purpose: 'AGE', title: 'Check an age', about: 'By face, document or both' },
  { purpose: 'ENROLL', title: 'Set up face sign-in', about: 'Stores a face that the service cannot read' },
  { purpose: 'SIGN-IN', title: 'Sign in with a face', about: 'Finds the person among everyone enrolled' },
  { purpose: 'VERIFY', title: 'Confirm who it is', about: 'Compares with one person of your choice' },
];

export interface VerificationOptions {
  /** ENROLL: whether a document is requested. */
  document: boolean;
  passkey: boolean;
  /** ENROLL. */
  estimateAge: boolean;
  email: boolean;
  phone: boolean;
  sendImages: boolean;
  /** VERIFY: the puid, as selected or typed. */
  userId: string;
  transactionId: string;
}

export const VERIFICATION_DEFAULTS: VerificationOptions = {
  document: false,
  passkey: false,
  estimateAge: false,
  email: false,
  phone: false,
  sendImages: false,
  userId: '',
  transactionId: 'order-4711',
};

/**
 * Returns a URL at which passkeys work on this computer, if the service's is numeric, because they
 * require a name.
 */
export function passkeyAddress(baseUrl: string): string | undefined {
  const url = new URL(baseUrl);
  if (!/^([\d.]+|\[.*\])$/.test(url.hostname)) return undefined;
  url.hostname = 'localhost';
  return url.origin;
}

type ChosenRequest = Omit<CreateVerificationSessionRequest, 'callback' | 'redirectURL'>;

export function buildVerificationRequest(
  type: Operation,
  options: VerificationOptions & { locale: string; desktop: boolean },
): ChosenRequest {
  const { document, passkey, estimateAge, email, phone, sendImages, userId, transactionId, locale, desktop } = options;
  const isEnroll = type === 'ENROLL';
  const besides = [
    ...(isEnroll && document ? ['identity_document' as const] : []),
    ...(passkey ? ['passkey' as const] : []),
  ];
  const contact = [...(email ? ['email' as const] : []), ...(phone ? ['phone' as const] : [])];
  return {
    type,
    ...(type === 'VERIFY' && { userId: userId.trim() }),
    ...(besides.length > 0 && { requirements: ['face' as const, ...besides] }),
    ...(isEnroll && estimateAge && { estimateAge }),
    ...(isEnroll && contact.length > 0 && { contact }),
    ...(sendImages && { sendImages }),
    // Only ENROLL has a default language.
    ...((!isEnroll || locale !== 'en') && { locale }),
    ...(desktop && { enableDesktop: true }),
    ...(transactionId.trim() !== '' && { transactionID: transactionId.trim() }),
  };
}
