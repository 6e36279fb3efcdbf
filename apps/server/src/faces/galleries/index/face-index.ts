// Where the faces of a gallery are searched: in this process's memory, or in pgvector. Both answer exactly, and both are
// only an index: the sealed rows in the database are the truth.
import type { Hit } from '@limen/gallery';
import type { Transaction } from '../../../platform/database/database.ts';
import type { GalleryRow } from '../store/galleries.ts';

/** One embedding of a gallery: its number there, and a unit vector. */
export interface NumberedVector {
  seq: number;
  vector: Float32Array;
}

export interface FaceSearch {
  /** Most hits; a person with several embeddings may be hit several times. */
  k: number;
  minSimilarity: number;
}

export interface FaceIndex {
  /** Nearest embeddings (`key` is their `seq`), with every change up to `gallery.version` taken into account. */
  search(gallery: GalleryRow, probe: Float32Array, search: FaceSearch): Promise<Hit[]>;
  /** Similarities to these embeddings alone, best first; one that is gone is left out. */
  compare(gallery: GalleryRow, probe: Float32Array, seqs: readonly number[]): Promise<Hit[]>;
  /** Part of the transaction that adds embeddings; their rows are already written in it. */
  addInTransaction(trx: Transaction, gallery: GalleryRow, added: readonly NumberedVector[]): Promise<void>;
  /** Called after the commit of a change: resolves when no later search can miss it. */
  settle(galleryId: string): Promise<void>;
  /** Makes sure it can work at all; a reason why not ends the start. */
  prepare(): Promise<void>;
  /** Reads what is there, for a while; searches that come meanwhile wait for what they need. */
  load(): Promise<void>;
  /** What it is still doing, or `ready`. */
  state(): string;
  close(): Promise<void>;
}
