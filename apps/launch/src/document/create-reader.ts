// Reads one document over several frames: its zone or barcode, and its portrait if wanted.
import type { Corners, DocumentAdvice, DocumentProblem } from '@limen/documents';
import type { Frame } from '../face/index.ts';
import type { DocumentReport, DocumentWish } from './kinds.ts';
import { withCopy } from './pictures.ts';
import { type CodeReader, type CodeSight, NOTHING_SEEN } from './read-code.ts';
import { createFullRegion, findPageAbove, type PortraitPlace } from './region.ts';
import type { DocumentTools } from './tools.ts';
import { createDocumentTrack, type Requirements } from './track-document.ts';

export interface ReaderParts {
  tools: Pick<DocumentTools, 'adviseOn' | 'ageOn' | 'findCard' | 'findCopySigns' | 'toGray'>;
  code: CodeReader;
  /** Returns the embedding of the face in that part of the picture. */
  findPortrait(frame: Frame, place: PortraitPlace): Promise<Float32Array | null>;
  now?(): number;
}

export type DocumentReader = ReturnType<typeof createDocumentReader>;

const LIVE: Requirements = { isAlone: false, portraits: 3, beside: 2 };
const ALONE: Requirements = { isAlone: true, portraits: 1, beside: 1 };
/** A single picture is read at several sizes, whose readings can outvote each other. */
const FILE_SHARES = [1, 0.82, 0.68, 0.55];
/** Longer side for barcodes. A license that fills half of it then has bars of about two pixels. */
const BARCODE_PX = 1800;
const FILE_MS = 15_000;

interface LookControl {
  signal: AbortSignal;
  mayGoOn(): boolean;
}

interface LookResult {
  problem: DocumentProblem | null;
  advice: DocumentAdvice | null;
  /** Whether anything of the document was read or found. */
  counts: boolean;
}
const FORGOTTEN_RESULT: LookResult = { problem: null, advice: null, counts: false };

export function createDocumentReader(wish: DocumentWish, parts: ReaderParts) {
  const { kind } = wish;
  const { tools, code, now = () => performance.now() } = parts;
  const track = createDocumentTrack(wish, code, tools);
  let life = new AbortController();

  async function see(frame: Frame, measure: Requirements, going: LookControl): Promise<LookResult> {
    const { signal } = going;
    const gray = tools.toGray(frame);
    try {
      const corners = lazy(() => tools.findCard(gray));
      let sight = NOTHING_SEEN;
      if (track.needsCode(measure)) {
        sight = await code.read(gray, { isAlone: measure.isAlone, corners, ...going });
        if (signal.aborted) return FORGOTTEN_RESULT;
        track.noticeCode(sight, measure);
      }
      const pile = sight.wasRead ? sight.pile : null;
      const wantsPortrait = !sight.problem && track.needsPortrait(pile, measure);
      const place = wantsPortrait ? findPlace(frame, sight, corners, measure) : null;
      const portrait = place && (await parts.findPortrait(frame, place));
      if (signal.aborted) {
        portrait?.fill(0);
        return FORGOTTEN_RESULT;
      }
      if (portrait) track.addPortrait(portrait, pile, measure);
      const findSigns = lazy(() => tools.findCopySigns(frame, kind === 'passport' ? null : corners()));
      track.addSigns(findSigns, pile, portrait !== null);
      const counts = sight.wasRead || portrait !== null;
      const needsAdvice = !counts && !measure.isAlone;
      const advice = needsAdvice ? tools.adviseOn(gray, kind === 'passport' ? 'page' : 'card', corners()) : null;
      return { problem: sight.problem, advice, counts };
    } finally {
      gray.data.fill(0);
    }
  }

  /** Limited to a page with a read zone or an outline. Elsewhere it could be anyone's face. */
  function findPlace(
    frame: Frame,
    sight: CodeSight,
    corners: () => Corners | null,
    { isAlone }: Requirements,
  ): PortraitPlace | null {
    const page = sight.wasRead ? findPageAbove(sight.lines) : null;
    if (kind === 'passport') return page;
    const outline = corners();
    if (outline) return { maxFace: Number.POSITIVE_INFINITY, ...page, region: outline };
    return page ?? (isAlone ? { region: createFullRegion(frame), maxFace: Number.POSITIVE_INFINITY } : null);
  }

  return {
    async look(frame: Frame): Promise<DocumentReport> {
      const { signal } = life;
      const { problem, advice } = await see(frame, LIVE, { signal, mayGoOn: () => !signal.aborted });
      return track.report(advice, problem, LIVE);
    },

    /** Reads a single picture of a side, or returns a problem. */
    async readFile(frame: Frame): Promise<DocumentReport> {
      const { signal } = life;
      const until = now() + FILE_MS;
      const mayGoOn = () => !signal.aborted && now() < until;
      const before = track.side(ALONE);
      const longer = Math.max(frame.width, frame.height);
      const shares = kind === 'licence' ? [Math.min(BARCODE_PX / longer, 1)] : FILE_SHARES;
      // Zones and portraits are also found upside down, so a quarter turn remains to be tried.
      for (const quarters of [0, 1]) {
        for (const share of shares) {
          if (!mayGoOn()) break;
          const { problem, counts } = await withCopy(frame, { share, quarters }, (copy) =>
            see(copy, ALONE, { signal, mayGoOn }),
          );
          if (signal.aborted) break;
          const found = track.report(null, problem, ALONE);
          if (found.outcome || found.side !== before) return found;
          // The other sizes add votes. Without any reading they would not help.
          if (!counts) break;
        }
      }
      return track.report(null, signal.aborted ? null : track.lacking(ALONE), ALONE);
    },

    /** Also aborts the current look, which then reports nothing. */
    forget(): void {
      life.abort();
      life = new AbortController();
      track.forget();
    },
  };
}

/** Computes the value on first use. */
function lazy<Value>(find: () => Value): () => Value {
  let found: { value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}
