// What is said about people: how much is kept and since when, and never a face or a token.
import type { World } from '../../../platform/world.ts';

export interface PersonView {
  puid: string;
  customer: string;
  world: World;
  createdAt: number;
  /** Of the face model that they are enrolled with. */
  modelVersion: string;
  /** Their enrolment has not ended yet. */
  isProvisional: boolean;
  /** Whether the customer's own name for them is kept, as a digest. */
  hasIdentifier: boolean;
  embeddings: number;
  tokens: number;
  passkeys: number;
  devices: number;
  sessions: number;
  /** When a passkey or a device of theirs was last used. */
  lastUsedAt: number | null;
}

export interface DeletedPersonView {
  /** A JWT that says so. */
  receipt: string;
}

export interface RetentionView {
  /** Of the setting. */
  name: string;
  value: number;
  unit: 'hours' | 'days';
  isDefault: boolean;
  description: string;
}
