// The part of a document that machines read: the zone of passports and cards, the barcode of licences.
import type { DocumentFacts, DocumentProblem, GrayImage, Recognise, SeenLine } from '@limen/documents';
import type { ReadBarcode } from './read-barcode.ts';
import type { DocumentTools } from './tools.ts';

export interface CodeSight {
  wasRead: boolean;
  /** What stops it at once. */
  problem: DocumentProblem | null;
  /** Of a zone. */
  lines: readonly SeenLine[];
}

export interface CodeReader {
  /** `isAlone`: no other picture follows, so it is looked at in every way there is. */
  read(gray: GrayImage, isAlone: boolean): Promise<CodeSight>;
  facts(): DocumentFacts | null;
  /** 0 to 1. */
  progress(): number;
  /** What was read contradicts itself, as it stands. */
  isFaulty(): boolean;
  forget(): void;
}

/** The vote is sure already when it says so; one frame more may yet be sharper. */
const ENOUGH_FAULTS = 2;
/** Readings that a zone needs, about; only for the progress. */
const USUAL_READINGS = 3;
/** Of the ways to look at a barcode, where other frames follow. */
const VIEWS_PER_FRAME = 3;

export function createZoneReader(tools: DocumentTools, recognise: Recognise, today: string): CodeReader {
  const vote = tools.createZoneVote(today);
  let facts: DocumentFacts | null = null;
  let readings = 0;
  let faults = 0;
  return {
    async read(gray) {
      const { reading, lines } = await tools.readZone(gray, recognise);
      if (!reading || facts) return { wasRead: reading !== null, problem: null, lines };
      readings += 1;
      vote.add(reading);
      const outcome = vote.result();
      faults = outcome.state === 'inconsistent' ? faults + 1 : 0;
      const judged = outcome.state === 'read' ? tools.judgeZone(outcome.zone, today) : null;
      if (judged && typeof judged === 'object') facts = judged;
      const problem = typeof judged === 'string' ? judged : faults >= ENOUGH_FAULTS ? 'check_digit' : null;
      return { wasRead: true, problem, lines };
    },
    facts: () => facts,
    progress: () => (facts ? 1 : Math.min(readings / (USUAL_READINGS + 1), 0.9)),
    isFaulty: () => faults > 0,
    forget() {
      vote.clear();
      facts = null;
      readings = 0;
      faults = 0;
    },
  };
}

/** One reading will do: a barcode mends itself, and says so when it cannot. */
export function createBarcodeReader(tools: DocumentTools, readBarcode: ReadBarcode, today: string): CodeReader {
  let facts: DocumentFacts | null = null;
  return {
    async read(gray, isAlone) {
      let left = facts ? 0 : isAlone ? Number.POSITIVE_INFINITY : VIEWS_PER_FRAME;
      for (const view of tools.barcodeViews(gray)) {
        if (left <= 0) break;
        left -= 1;
        const text = await readBarcode(view);
        const licence = text === null ? null : tools.parseLicence(text);
        if (!licence || 'refused' in licence) continue;
        const judged = tools.judgeLicence(licence, today);
        if (typeof judged === 'object') facts = judged;
        return { wasRead: true, problem: typeof judged === 'string' ? judged : null, lines: [] };
      }
      return { wasRead: false, problem: null, lines: [] };
    },
    facts: () => facts,
    progress: () => (facts ? 1 : 0),
    isFaulty: () => false,
    forget() {
      facts = null;
    },
  };
}
