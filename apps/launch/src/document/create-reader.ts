// Reads one document over as many frames as it takes: its zone or barcode, and its portrait where that is wanted.
import type { Corners, DocumentAdvice, DocumentProblem } from '@limen/documents';
import type { Frame } from '../face/index.ts';
import type { DocumentReport, DocumentWish } from './kinds.ts';
import { withCopy } from './pictures.ts';
import { type CodeReader, type CodeSight, NOTHING_SEEN } from './read-code.ts';
import { coverAll, findPageAbove, type Place } from './region.ts';
import type { DocumentTools } from './tools.ts';
import { createDocumentTrack, type Measure } from './track-document.ts';

export interface ReaderParts {
  tools: Pick<DocumentTools, 'adviseOn' | 'ageOn' | 'findCard' | 'findCopySigns' | 'toGray'>;
  code: CodeReader;
  /** The embedding of the face in that part of the picture. */
  findPortrait(frame: Frame, place: Place): Promise<Float32Array | null>;
  /** Milliseconds. For tests. */
  now?(): number;
}

export type DocumentReader = ReturnType<typeof createDocumentReader>;

const LIVE: Measure = { isAlone: false, portraits: 3, beside: 2 };
const ALONE: Measure = { isAlone: true, portraits: 1, beside: 1 };
/** A picture that is alone is read at several sizes: readings of the same letters that can outvote each other. */
const FILE_SHARES = [1, 0.82, 0.68, 0.55];
/** Of the longer side. A licence that fills half of it has bars of about two pixels then. */
const BARCODE_PX = 1800;
/** A picture is given up after it: nobody waits for longer. */
const FILE_MS = 15_000;

interface Going {
  signal: AbortSignal;
  mayGoOn(): boolean;
}

interface Seen {
  problem: DocumentProblem | null;
  advice: DocumentAdvice | null;
  /** Something of the document was read or found. */
  counts: boolean;
}
const FORGOTTEN: Seen = { problem: null, advice: null, counts: false };

export function createDocumentReader(wish: DocumentWish, parts: ReaderParts) {
  const { kind } = wish;
  const { tools, code, now = () => performance.now() } = parts;
  const track = createDocumentTrack(wish, code, tools);
  /** Ends when it is forgotten. */
  let life = new AbortController();

  async function see(frame: Frame, measure: Measure, going: Going): Promise<Seen> {
    const { signal } = going;
    const gray = tools.toGray(frame);
    try {
      const corners = once(() => tools.findCard(gray));
      let sight = NOTHING_SEEN;
      if (track.needsCode(measure)) {
        sight = await code.read(gray, { isAlone: measure.isAlone, corners, ...going });
        if (signal.aborted) return FORGOTTEN;
        track.noticeCode(sight, measure);
      }
      const pile = sight.wasRead ? sight.pile : null;
      const wantsPortrait = !sight.problem && track.needsPortrait(pile, measure);
      const place = wantsPortrait ? placeOf(frame, sight, corners, measure) : null;
      const portrait = place && (await parts.findPortrait(frame, place));
      if (signal.aborted) {
        portrait?.fill(0);
        return FORGOTTEN;
      }
      if (portrait) track.addPortrait(portrait, pile, measure);
      const findSigns = once(() => tools.findCopySigns(frame, kind === 'passport' ? null : corners()));
      track.addSigns(findSigns, pile, portrait !== null);
      const counts = sight.wasRead || portrait !== null;
      const needsAdvice = !counts && !measure.isAlone;
      const advice = needsAdvice ? tools.adviseOn(gray, kind === 'passport' ? 'page' : 'card', corners()) : null;
      return { problem: sight.problem, advice, counts };
    } finally {
      gray.data.fill(0);
    }
  }

  /** Only on a page whose zone was read, or within an outline: else it could be anybody's face. */
  function placeOf(frame: Frame, sight: CodeSight, corners: () => Corners | null, { isAlone }: Measure): Place | null {
    const page = sight.wasRead ? findPageAbove(sight.lines) : null;
    if (kind === 'passport') return page;
    const outline = corners();
    if (outline) return { maxFace: Number.POSITIVE_INFINITY, ...page, region: outline };
    return page ?? (isAlone ? { region: coverAll(frame), maxFace: Number.POSITIVE_INFINITY } : null);
  }

  return {
    async look(frame: Frame): Promise<DocumentReport> {
      const { signal } = life;
      const { problem, advice } = await see(frame, LIVE, { signal, mayGoOn: () => !signal.aborted });
      return track.report(advice, problem, LIVE);
    },

    /** One picture is all there is of this side: it is read, or it is a problem. */
    async readFile(frame: Frame): Promise<DocumentReport> {
      const { signal } = life;
      const until = now() + FILE_MS;
      const mayGoOn = () => !signal.aborted && now() < until;
      const before = track.side(ALONE);
      const longer = Math.max(frame.width, frame.height);
      const shares = kind === 'licence' ? [Math.min(BARCODE_PX / longer, 1)] : FILE_SHARES;
      // Zones and portraits are found upside down as well, so that a quarter turn is all that is left to try.
      for (const quarters of [0, 1]) {
        for (const share of shares) {
          if (!mayGoOn()) break;
          const { problem, counts } = await withCopy(frame, { share, quarters }, (copy) =>
            see(copy, ALONE, { signal, mayGoOn }),
          );
          if (signal.aborted) break;
          const found = track.report(null, problem, ALONE);
          if (found.outcome || found.side !== before) return found;
          // The other sizes are for a vote: without anything to vote on they would show no more.
          if (!counts) break;
        }
      }
      return track.report(null, signal.aborted ? null : track.lacking(ALONE), ALONE);
    },

    /** Also what is being looked at: nothing is told of it. */
    forget(): void {
      life.abort();
      life = new AbortController();
      track.forget();
    },
  };
}

/** Found when it is asked for, and then known. */
function once<Value>(find: () => Value): () => Value {
  let found: { value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}
