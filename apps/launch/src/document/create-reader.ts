// Reads one document over as many frames as it takes: its zone or barcode, and its portrait where that is wanted.
import type { DocumentAdvice, DocumentProblem, GrayImage } from '@limen/documents';
import { combineEmbeddings, type Frame } from '../face/index.ts';
import { createSignCount } from './count-signs.ts';
import type { DocumentReport, DocumentSide, DocumentWish } from './kinds.ts';
import { shrink, turn } from './pictures.ts';
import type { CodeReader } from './read-code.ts';
import { findPageBeside, type Region } from './region.ts';
import type { DocumentTools } from './tools.ts';

export interface ReaderParts {
  tools: Pick<DocumentTools, 'adviseOn' | 'ageOn' | 'findCard' | 'findCopySigns' | 'toGray'>;
  code: CodeReader;
  /** The embedding of the face in that part of the picture. */
  findPortrait(frame: Frame, region: Region): Promise<Float32Array | null>;
}

export interface DocumentReader {
  look(frame: Frame): Promise<DocumentReport>;
  /** One picture is all there is of this side: it is read, or it is a problem. */
  readFile(frame: Frame): Promise<DocumentReport>;
  forget(): void;
}

/** How much it takes: of frames that others follow, and of a picture that is alone. */
interface Measure {
  isAlone: boolean;
  /** Portraits: in one of several frames the face may be blurred. */
  portraits: number;
  /** Sightings of the zone beside the portrait: one may be of something else. */
  beside: number;
}
const LIVE: Measure = { isAlone: false, portraits: 3, beside: 2 };
const ALONE: Measure = { isAlone: true, portraits: 1, beside: 1 };
const MOST_BESIDE = 6;
/** A picture that is alone is read at several sizes: readings of the same letters that can outvote each other. */
const FILE_SIZES = [1, 0.82, 0.68, 0.55];

export function createDocumentReader({ kind, wantsPortrait, today }: DocumentWish, parts: ReaderParts): DocumentReader {
  const { tools, code } = parts;
  const signs = createSignCount();
  let embeddings: Float32Array[] = [];
  /** How sure it is that a card has its zone on the side of the portrait: then there is nothing to turn over. */
  let beside = 0;

  const needsPortrait = ({ portraits }: Measure) => wantsPortrait && embeddings.length < portraits;
  const isOneSided = (measure: Measure) => kind === 'passport' || beside >= measure.beside;

  function sideNow(measure: Measure): DocumentSide {
    if (kind === 'passport') return 'data';
    if (needsPortrait(measure) || (wantsPortrait && isOneSided(measure))) return 'portrait';
    return kind === 'card' ? 'zone' : 'barcode';
  }

  function lackingNow(measure: Measure): DocumentProblem {
    if (code.facts() || (sideNow(measure) === 'portrait' && !isOneSided(measure))) return 'no_face';
    return code.isFaulty() ? 'check_digit' : 'unreadable';
  }

  /** `counts`: something of the document was read or found. */
  async function see(frame: Frame, measure: Measure) {
    const gray = tools.toGray(frame);
    const corners = kind === 'passport' ? null : tools.findCard(gray);
    const { problem, wasRead, lines } = await code.read(gray, measure.isAlone);
    if (kind === 'card' && wantsPortrait && sideNow(measure) === 'portrait')
      beside = wasRead ? Math.min(beside + 1, MOST_BESIDE) : Math.max(beside - 1, 0);
    let hasPortrait = false;
    if (!problem && needsPortrait(measure)) {
      const regions = corners ? [corners] : wasRead ? findPageBeside(lines) : measure.isAlone ? [outlineOf(frame)] : [];
      for (const region of regions) {
        const embedding = await parts.findPortrait(frame, region);
        if (!embedding) continue;
        embeddings.push(embedding);
        hasPortrait = true;
        break;
      }
    }
    const counts = wasRead || hasPortrait;
    if (counts) signs.add(() => tools.findCopySigns(frame, corners));
    return { problem, counts, gray };
  }

  function report(advice: DocumentAdvice | null, problem: DocumentProblem | null, measure: Measure): DocumentReport {
    const outcome = problem ? { problem } : conclude(measure);
    const portrait = Math.min(embeddings.length / measure.portraits, 1);
    const side = sideNow(measure);
    const isBoth = wantsPortrait && isOneSided(measure);
    const progress = isBoth ? (code.progress() + portrait) / 2 : side === 'portrait' ? portrait : code.progress();
    return { side, advice: outcome ? null : advice, progress, lacking: lackingNow(measure), outcome };
  }

  function conclude(measure: Measure): DocumentReport['outcome'] {
    const facts = code.facts();
    if (!facts || needsPortrait(measure)) return null;
    const embedding = wantsPortrait ? combineEmbeddings(embeddings) : null;
    if (wantsPortrait && !embedding) return { problem: 'no_face' };
    const { type, country, birth } = facts;
    return { type, country, age: tools.ageOn(birth, today), signs: signs.list(), embedding };
  }

  function advise(gray: GrayImage): DocumentAdvice | null {
    return tools.adviseOn(gray, kind === 'passport' ? 'page' : 'card');
  }

  return {
    async look(frame) {
      const { problem, counts, gray } = await see(frame, LIVE);
      return report(counts ? null : advise(gray), problem, LIVE);
    },

    async readFile(frame) {
      const before = sideNow(ALONE);
      // Zones and portraits are found upside down as well, so that a quarter turn is all that is left to try.
      for (const quarters of [0, 1]) {
        for (const size of FILE_SIZES) {
          const copy = turn(shrink(frame, size), quarters);
          const { problem, counts } = await see(copy, ALONE);
          if (copy !== frame) copy.data.fill(0);
          const found = report(null, problem, ALONE);
          if (found.outcome || found.side !== before) return found;
          // The other sizes are for a vote: without anything to vote on they would show no more.
          if (!counts) break;
        }
      }
      return report(null, lackingNow(ALONE), ALONE);
    },

    forget() {
      code.forget();
      for (const embedding of embeddings) embedding.fill(0);
      embeddings = [];
      beside = 0;
    },
  };
}

function outlineOf({ width, height }: Frame): Region {
  return [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
}
