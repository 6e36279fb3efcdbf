// Tracks the state of a document: the side that is due, the missing evidence, and the outcome.
import type { CopySign, DocumentAdvice, DocumentProblem } from '@limen/documents';
import { combineEmbeddings } from '../face/index.ts';
import { createGathering, type Evidence } from './gather.ts';
import type { DocumentFound, DocumentReport, DocumentSide, DocumentWish } from './kinds.ts';
import type { CodeReader, CodeSight } from './read-code.ts';
import type { DocumentTools } from './tools.ts';

/** Required evidence, for live frames or a single picture. */
export interface Requirements {
  isAlone: boolean;
  /** Portraits, because the face may be blurred in one frame. */
  portraits: number;
  /** Sightings of the zone next to the portrait, because one may be a mistake. */
  beside: number;
}
const ONE_SIDED_MAX_CONFIDENCE = 6;

export function createDocumentTrack(
  { kind, wantsPortrait, today }: DocumentWish,
  code: CodeReader,
  { ageOn }: Pick<DocumentTools, 'ageOn'>,
) {
  const gathering = createGathering();
  /** The latest document in view, by its text. */
  let currentPile: number | null = null;
  /** Confidence that a card has its zone on the portrait side and need not be turned over. */
  let beside = 0;
  /** For a document with two sides. Final, even if other requirements need more portraits. */
  let isPortraitDone = false;

  const isOneSided = (measure: Requirements) =>
    kind === 'passport' || code.facts()?.isWholePage === true || beside >= measure.beside;

  /**
   * Returns the evidence of the frames with the decided or current text, so a page stays together.
   */
  function findTextEvidence(): Evidence | null {
    const pile = code.facts()?.pile ?? currentPile;
    return pile === null ? null : gathering.getPile(pile);
  }

  const portraitsOf = (measure: Requirements) =>
    (isOneSided(measure) ? findTextEvidence() : gathering.getFace())?.portraits ?? [];

  function lacksPortrait(measure: Requirements): boolean {
    if (!wantsPortrait || (isPortraitDone && !isOneSided(measure))) return false;
    return portraitsOf(measure).length < measure.portraits;
  }

  function side(measure: Requirements): DocumentSide {
    if (kind === 'passport') return 'data';
    if (lacksPortrait(measure) || (wantsPortrait && isOneSided(measure))) return 'portrait';
    return kind === 'card' ? 'zone' : 'barcode';
  }

  function lacking(measure: Requirements): DocumentProblem {
    if (code.facts() || (side(measure) === 'portrait' && !isOneSided(measure))) return 'no_face';
    return code.isFaulty() ? 'check_digit' : 'unreadable';
  }

  function findOutcome(measure: Requirements): DocumentReport['outcome'] {
    const facts = code.facts();
    if (!facts || lacksPortrait(measure)) return null;
    // Either side can be a copy.
    const otherSideSigns = wantsPortrait && !isOneSided(measure) ? gathering.getFace().signs.list() : [];
    const signs = [...new Set([...(findTextEvidence()?.signs.list() ?? []), ...otherSideSigns])];
    const { type, country, birth } = facts;
    return toOutcome({ type, country, age: ageOn(birth, today), signs }, wantsPortrait ? portraitsOf(measure) : null);
  }

  return {
    side,
    lacking,
    /** Continues reading a known zone if it identifies the portrait's document. */
    needsCode(measure: Requirements): boolean {
      if (kind === 'licence') return !code.facts() && side(measure) !== 'portrait';
      return !code.facts() || (wantsPortrait && (isOneSided(measure) || beside > 0));
    },
    /** For a frame in which the code was searched. */
    noticeCode(sight: CodeSight, measure: Requirements): void {
      if (kind === 'card' && wantsPortrait && side(measure) === 'portrait')
        beside = sight.wasRead ? Math.min(beside + 1, ONE_SIDED_MAX_CONFIDENCE) : Math.max(beside - 1, 0);
      if (sight.wasRead) currentPile = sight.pile ?? currentPile;
    },
    /** `pile`: document of the frame; null if unknown. */
    needsPortrait(pile: number | null, measure: Requirements): boolean {
      if (!wantsPortrait || !isOneSided(measure)) return lacksPortrait(measure);
      return pile !== null && gathering.getPile(pile).portraits.length < measure.portraits;
    },
    /** Takes ownership of the vector. */
    addPortrait(portrait: Float32Array, pile: number | null, measure: Requirements): void {
      if (kind !== 'passport') gathering.addFace(portrait);
      if (pile === null) portrait.fill(0);
      else gathering.getPile(pile).portraits.push(portrait);
      if (!isOneSided(measure) && gathering.getFace().portraits.length >= measure.portraits) isPortraitDone = true;
    },
    addSigns(find: () => readonly CopySign[], pile: number | null, hasPortrait: boolean): void {
      if (pile !== null) gathering.getPile(pile).signs.add(find);
      if (hasPortrait && kind !== 'passport') gathering.getFace().signs.add(find);
    },
    report(advice: DocumentAdvice | null, problem: DocumentProblem | null, measure: Requirements): DocumentReport {
      const outcome = problem ? { problem } : findOutcome(measure);
      const portrait = Math.min(portraitsOf(measure).length / measure.portraits, 1);
      const due = side(measure);
      const isBoth = wantsPortrait && isOneSided(measure);
      const progress = isBoth ? (code.progress() + portrait) / 2 : due === 'portrait' ? portrait : code.progress();
      return { side: due, advice: outcome ? null : advice, progress, lacking: lacking(measure), outcome };
    },
    forget(): void {
      code.forget();
      gathering.wipe();
      currentPile = null;
      beside = 0;
      isPortraitDone = false;
    },
  };
}

/** Adds the combined embedding; null if none is wanted. */
function toOutcome(read: Omit<DocumentFound, 'embedding'>, portraits: readonly Float32Array[] | null) {
  const embedding = portraits && combineEmbeddings(portraits);
  return portraits && !embedding ? { problem: 'no_face' as const } : { ...read, embedding };
}
