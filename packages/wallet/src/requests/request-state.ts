// What the service keeps of a request until the answer comes: plain JSON, secret, for one use.
import type { JWK } from 'jose';
import type { ProfileId, Protocol } from '../profiles/profiles.ts';
import { type Transcript, transcribeAnnexC, transcribeDcApi, transcribeRedirect } from '../transcripts/transcripts.ts';

export interface RequestState {
  version: 1;
  profile: ProfileId;
  protocol: Protocol;
  /** The age of the element that was asked for. */
  ageOver: number;
  nonce: string;
  handover: Handover;
  /** With its private part; null where the answer comes in the clear. */
  answerKey: JWK | null;
  /** SHA-256 of the key (RFC 7638), base64url. */
  answerKeyThumbprint: string | null;
}

export type Handover =
  | { kind: 'annex_c'; encryptionInfo: string; origin: string }
  | { kind: 'dc_api'; origin: string }
  | { kind: 'redirect'; clientId: string; responseUri: string };

export function transcribeState({ handover, nonce, answerKeyThumbprint }: RequestState): Transcript {
  const thumbprint = answerKeyThumbprint === null ? null : Buffer.from(answerKeyThumbprint, 'base64url');
  switch (handover.kind) {
    case 'annex_c':
      return transcribeAnnexC(handover.encryptionInfo, handover.origin);
    case 'dc_api':
      return transcribeDcApi(handover.origin, nonce, thumbprint);
    case 'redirect':
      return transcribeRedirect(handover.clientId, nonce, thumbprint, handover.responseUri);
  }
}
