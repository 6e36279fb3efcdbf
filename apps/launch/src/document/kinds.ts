// Document types and the worker's reports. Lightweight, because the page imports it too.
import type { CopySign, DocumentAdvice, DocumentFacts, DocumentProblem } from '@limen/documents';

export type { DocumentAdvice, DocumentProblem } from '@limen/documents';

export const DOCUMENT_KINDS = ['passport', 'card', 'licence'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** `data`: a passport page with everything. */
export type DocumentSide = 'data' | 'portrait' | 'zone' | 'barcode';

export interface DocumentWish {
  kind: DocumentKind;
  /** Whether the portrait will be compared with a face. */
  wantsPortrait: boolean;
  /** Server date, YYYY-MM-DD. */
  today: string;
}

export interface DocumentFound {
  type: DocumentFacts['type'];
  country: DocumentFacts['country'];
  /** Age in whole years. The date of birth stays in the worker. */
  age: number;
  signs: CopySign[];
  /** Embedding of the portrait; null if none was wanted. */
  embedding: Float32Array | null;
}

export interface DocumentReport {
  side: DocumentSide;
  advice: DocumentAdvice | null;
  /** Progress of this side, 0 to 1. */
  progress: number;
  /** Problem to report if nothing more is read. */
  lacking: DocumentProblem;
  outcome: DocumentFound | { problem: DocumentProblem } | null;
}

/** Lists the sides in capture order. */
export function listSides({ kind, wantsPortrait }: Pick<DocumentWish, 'kind' | 'wantsPortrait'>): DocumentSide[] {
  if (kind === 'passport') return ['data'];
  const code = kind === 'card' ? 'zone' : 'barcode';
  return wantsPortrait ? ['portrait', code] : [code];
}
