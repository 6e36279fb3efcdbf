// The kinds of documents that can be shown, and what the worker tells of one. Also for the page: nothing here is heavy.
import type { CopySign, DocumentAdvice, DocumentFacts, DocumentProblem } from '@limen/documents';

export type { DocumentAdvice, DocumentProblem } from '@limen/documents';

export const DOCUMENT_KINDS = ['passport', 'card', 'licence'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** `data` is the page of a passport that has it all. */
export type DocumentSide = 'data' | 'portrait' | 'zone' | 'barcode';

export interface DocumentWish {
  kind: DocumentKind;
  /** Whether a face will be compared with the one on the document. */
  wantsPortrait: boolean;
  /** YYYY-MM-DD, by the server. */
  today: string;
}

export interface DocumentFound {
  type: DocumentFacts['type'];
  country: DocumentFacts['country'];
  /** In whole years, today. The date of birth itself stays in the worker. */
  age: number;
  signs: CopySign[];
  /** Of the portrait; null where none was wanted. */
  embedding: Float32Array | null;
}

export interface DocumentReport {
  /** The one to show next. */
  side: DocumentSide;
  advice: DocumentAdvice | null;
  /** 0 to 1 of this side. */
  progress: number;
  /** What to call it if nothing more comes. */
  lacking: DocumentProblem;
  outcome: DocumentFound | { problem: DocumentProblem } | null;
}

/** In the order in which they are asked for. */
export function sidesOf({ kind, wantsPortrait }: Pick<DocumentWish, 'kind' | 'wantsPortrait'>): DocumentSide[] {
  if (kind === 'passport') return ['data'];
  const code = kind === 'card' ? 'zone' : 'barcode';
  return wantsPortrait ? ['portrait', code] : [code];
}
