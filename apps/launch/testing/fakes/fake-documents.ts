// Reports of the worker about fake documents.
import type { DocumentPlanStep } from '@limen/plan';
import type { DocumentFound, DocumentProblem, DocumentReport, DocumentSide } from '../../src/document/kinds.ts';

export const DOCUMENT_STEP: DocumentPlanStep = {
  step: 'identity_document',
  when: 'always',
  report: 'threshold',
  ageThreshold: 18,
  fromFile: false,
};

/** Reports a side of which nothing is known yet. */
export function seeSide(side: DocumentSide, changes: Partial<DocumentReport> = {}): DocumentReport {
  return { side, advice: null, progress: 0, lacking: 'unreadable', outcome: null, ...changes };
}

/** Reports a document of a person of thirty. */
export function findDocument(changes: Partial<DocumentFound> = {}): DocumentReport {
  const outcome: DocumentFound = {
    type: 'passport',
    country: 'SWE',
    age: 30,
    signs: [],
    embedding: null,
    ...changes,
  };
  return seeSide('data', { progress: 1, outcome });
}

export function findProblem(problem: DocumentProblem): DocumentReport {
  return seeSide('data', { outcome: { problem } });
}
