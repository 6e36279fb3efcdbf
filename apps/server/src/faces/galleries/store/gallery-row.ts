// A gallery of faces, as its row in the database says.
import type { Owner } from '../../../platform/api-keys/owner.ts';

/** One gallery as its row says right now. */
export interface GalleryRow {
  id: string;
  /** Of the keys that may see it. */
  owner: Owner;
  modelVersion: string;
  dimensions: number;
  /** Names the gallery in replies. */
  guid: string;
  /** Counts the changes of this gallery; an embedding or token is numbered by the change that added it. */
  version: number;
  /** Removals up to this change are no longer in the log. */
  logFloor: number;
  /** Without those whose enrolment has not ended yet. */
  people: number;
  embeddings: number;
  /** Face tokens of people, also of those. */
  tokens: number;
  /** The key of the newest of them. */
  tokenEpoch: string | null;
  createdAt: number;
}
