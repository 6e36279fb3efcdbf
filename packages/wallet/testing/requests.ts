// Requests of every protocol by a service at one URL.
import { randomBytes } from 'node:crypto';
import {
  type CreatedRequest,
  createRequest,
  type ProfileId,
  type Protocol,
  type RequestOptions,
} from '../src/index.ts';
import type { RequestSigner } from '../src/requests/request-signer.ts';

export const NOW = new Date('2026-11-16T12:00:00Z');
export const ORIGIN = 'https://age.example';
export const RESPONSE_URI = 'https://age.example/launch/wallet/answer';

export interface Asked extends Partial<RequestOptions> {
  profile: ProfileId;
  protocol: Protocol;
  signer?: RequestSigner;
}

export function ask(asked: Asked): Promise<CreatedRequest> {
  return createRequest({
    threshold: 18,
    origin: ORIGIN,
    responseUri: RESPONSE_URI,
    entropy: randomBytes(64),
    ...asked,
  });
}
