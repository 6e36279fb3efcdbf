// The part of a document that machines read: the zone of passports and cards, the barcode of licences.
import type { Corners, DocumentFacts, DocumentProblem, GrayImage, Recognise, SeenLine } from '@limen/documents';
import type { ReadBarcode } from './read-barcode.ts';
import type { DocumentTools } from './tools.ts';

export type CodeSight =
  | {
      wasRead: true;
      /** What stops it at once. */
      problem: DocumentProblem | null;
      /** Of a zone. */
      lines: readonly SeenLine[];
      /** Which document it is, as far as the text tells; null where it tells too little. */
      pile: number | null;
    }
  | { wasRead: false; problem: null; lines: readonly SeenLine[] };

export const NOTHING_SEEN: CodeSight = { wasRead: false, problem: null, lines: [] };

/** How a picture is to be looked at. */
export interface CodeLook {
  /** No other picture follows, so it is looked at in many ways. */
  isAlone: boolean;
  /** The outline, found when it is asked for. */
  corners(): Corners | null;
  /** What comes after it is of no document any more. */
  signal: AbortSignal;
  /** Asked before each piece of work. */
  mayGoOn(): boolean;
}

export interface CodeFacts extends DocumentFacts {
  /** Which document they are of, where there was a choice. */
  pile?: number;
  /** A portrait is on the same page, by the kind of zone. */
  isWholePage?: boolean;
}

export interface CodeReader {
  read(gray: GrayImage, look: CodeLook): Promise<CodeSight>;
  /** Of the document that was read last. */
  facts(): CodeFacts | null;
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
/** Of passports and visas, whoever chose to show a card. */
const WHOLE_PAGES = new Set(['TD3', 'MRV-A', 'MRV-B']);

export function createZoneReader(tools: DocumentTools, recognise: Recognise, today: string): CodeReader {
  const vote = tools.createZoneVote(today);
  let facts: CodeFacts | null = null;
  let readings = 0;
  let faults = 0;
  return {
    async read(gray, { signal }) {
      const { reading, lines } = await tools.readZone(gray, recognise);
      if (signal.aborted) return NOTHING_SEEN;
      if (!reading) return { ...NOTHING_SEEN, lines };
      readings += 1;
      const pile = vote.add(reading);
      // Another document than the one that was read is read anew: what is before the camera counts.
      if (pile === null || pile === facts?.pile) return { wasRead: true, problem: null, lines, pile };
      const outcome = vote.result();
      faults = outcome.state === 'inconsistent' ? faults + 1 : 0;
      const judged = outcome.state === 'read' ? tools.judgeDocument(outcome.zone, today) : null;
      if (outcome.state === 'read' && judged && typeof judged === 'object')
        facts = { ...judged, pile: outcome.pile, isWholePage: WHOLE_PAGES.has(outcome.zone.format) };
      const problem = typeof judged === 'string' ? judged : faults >= ENOUGH_FAULTS ? 'check_digit' : null;
      return { wasRead: true, problem, lines, pile };
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

/** Ways to look at a barcode: where other frames follow they go on with the next ones. One takes about 0.3 s. */
const VIEWS_PER_FRAME = 2;
const VIEWS_ALONE = 20;
/** There is one barcode, and nothing to tell apart. */
const ONLY_PILE = 0;

/** One reading will do: a barcode mends itself, and says so when it cannot. */
export function createBarcodeReader(tools: DocumentTools, readBarcode: ReadBarcode, today: string): CodeReader {
  let facts: CodeFacts | null = null;
  let shown = 0;
  return {
    async read(gray, { isAlone, corners, signal, mayGoOn }) {
      if (facts) return NOTHING_SEEN;
      let left = isAlone ? VIEWS_ALONE : VIEWS_PER_FRAME;
      for (const view of tools.barcodeViews(gray, corners(), isAlone ? 0 : shown)) {
        left -= 1;
        shown += isAlone ? 0 : 1;
        const text = await readBarcode(view);
        if (signal.aborted) return NOTHING_SEEN;
        const licence = text === null ? null : tools.parseLicence(text);
        if (!licence || 'refused' in licence) {
          // Here, and not before the next one: that would have been made in vain.
          if (left === 0 || !mayGoOn()) break;
          continue;
        }
        const judged = tools.judgeDocument(licence, today);
        if (typeof judged === 'object') facts = { ...judged, pile: ONLY_PILE };
        const problem = typeof judged === 'string' ? judged : null;
        return { wasRead: true, problem, lines: [], pile: ONLY_PILE };
      }
      return NOTHING_SEEN;
    },
    facts: () => facts,
    progress: () => (facts ? 1 : 0),
    isFaulty: () => false,
    forget() {
      facts = null;
      shown = 0;
    },
  };
}
