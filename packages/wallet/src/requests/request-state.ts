// State of a request until its response: plain JSON, secret, for one use.
import type { JWK } from 'jose';
import type { ProfileId, Protocol } from '../profiles/profiles.ts';
import { type Transcript, transcribeAnnexC, transcribeDcApi, transcribeRedirect } from '../transcripts/transcripts.ts';

export interface RequestState {
  version: 1;
  profile: ProfileId;
  protocol: Protocol;
  /** Age of the requested element. */
  ageOver: number;
  nonce: string;
  handover: Handover;
  /** Including the private part. Null if the response is not encrypted. */
  answerKey: JWK | null;
  /** SHA-256 thumbprint of the key (RFC 7638), base64url. */
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
