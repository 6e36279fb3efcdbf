// The interface of the two face indexes, in this process's memory and in pgvector. The sealed rows remain the truth.
import type { Hit } from '@limen/gallery';
import type { Transaction } from '../../../platform/database/database.ts';
import type { GalleryRow } from '../store/galleries.ts';

export interface NumberedVector {
  seq: number;
  vector: Float32Array;
}

export interface FaceIndex {
  /** Finds the `seq` of the nearest embeddings, with every change up to `gallery.version`. */
  search(gallery: GalleryRow, probe: Float32Array, limits: { k: number; minSimilarity: number }): Promise<Hit[]>;
  /** Compares only these embeddings, best first. Deleted ones are missing from the result. */
  compare(gallery: GalleryRow, probe: Float32Array, seqs: readonly number[]): Promise<Hit[]>;
  /** Adds embeddings in the transaction that has written their rows. */
  addInTransaction(trx: Transaction, gallery: GalleryRow, added: readonly NumberedVector[]): Promise<void>;
  /** Resolves when no later search can miss a change. Call it after the commit. */
  settle(galleryId: string): Promise<void>;
  /** Throws if the index cannot work at all. The error ends the start. */
  prepare(): Promise<void>;
  /** Reads all faces in the background. Searches wait for the faces that they need. */
  load(): Promise<void>;
  state(): string;
  close(): Promise<void>;
}
