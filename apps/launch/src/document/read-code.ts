// The machine-readable part of a document: the zone of passports and cards, the barcode of
// licenses.
import type { Corners, DocumentFacts, DocumentProblem, GrayImage, Recognize, SeenLine } from '@limen/documents';
import type { ReadBarcode } from './read-barcode.ts';
import type { DocumentTools } from './tools.ts';

export type CodeSight =
  | {
      wasRead: true;
      /** Problem that ends the reading at once. */
      problem: DocumentProblem | null;
      /** Lines of a zone. */
      lines: readonly SeenLine[];
      /** Document of the text; null if unclear. */
      pile: number | null;
    }
  | { wasRead: false; problem: null; lines: readonly SeenLine[] };

export const NOTHING_SEEN: CodeSight = { wasRead: false, problem: null, lines: [] };

export interface CodeLook {
  /** Whether no further picture follows, so all views are tried. */
  isAlone: boolean;
  /** Finds the outline on demand. */
  corners(): Corners | null;
  signal: AbortSignal;
  /** Checked before each unit of work. */
  mayGoOn(): boolean;
}

export interface CodeFacts extends DocumentFacts {
  /** Document of the facts, if there was a choice. */
  pile?: number;
  /** Whether a portrait is on the same page, by the zone's format. */
  isWholePage?: boolean;
}

export interface CodeReader {
  read(gray: GrayImage, look: CodeLook): Promise<CodeSight>;
  /** Facts of the last document. */
  facts(): CodeFacts | null;
  /** Progress from 0 to 1. */
  progress(): number;
  /** Whether the current text contradicts itself. */
  isFaulty(): boolean;
  forget(): void;
}

/** The vote is sure by then, but another frame may be sharper. */
const ENOUGH_FAULTS = 2;
/** Typical number of readings, for the progress only. */
const USUAL_READINGS = 3;
/** Formats of passports and visas, for any chosen document type. */
const WHOLE_PAGES = new Set(['TD3', 'MRV-A', 'MRV-B']);

export function createZoneReader(tools: DocumentTools, recognize: Recognize, today: string): CodeReader {
  const vote = tools.createZoneVote(today);
  let facts: CodeFacts | null = null;
  let readings = 0;
  let faults = 0;
  return {
    async read(gray, { signal }) {
      const { reading, lines } = await tools.readZone(gray, recognize);
      if (signal.aborted) return NOTHING_SEEN;
      if (!reading) return { ...NOTHING_SEEN, lines };
      readings += 1;
      const pile = vote.add(reading);
      // Another document than the last one is read again, because the current view counts.
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

/** Views of a barcode per picture, about 0.3 s each. Live frames continue with the next ones. */
const VIEWS_PER_FRAME = 2;
const VIEWS_ALONE = 20;
/** There is only one barcode. */
const ONLY_PILE = 0;

/** One reading suffices, because barcodes have error correction. */
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
        const license = text === null ? null : tools.parseLicense(text);
        if (!license || 'refused' in license) {
          // Checked here, because the loop would first compute the next view in vain.
          if (left === 0 || !mayGoOn()) break;
          continue;
        }
        const judged = tools.judgeDocument(license, today);
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
