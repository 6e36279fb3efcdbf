// Merges rows into entities for the lists that spread one entity over many rows.
import type { ListedEntity } from '../../entity.ts';
import { type EntityDraft, finishDraft } from '../entity-draft.ts';
import { describeRecord, type LoadReport, noteBroken } from './load-report.ts';

/** The European and British lists take about a tenth of it; a file that takes more is neither. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/**
 * Holds all entities until the end, because rows of one may lie apart: two entities with one id would replace each
 * other, and names would be lost without a word.
 */
export function createRowGroups(report: LoadReport, maxCharacters = MAX_CHARACTERS) {
  const drafts = new Map<string, EntityDraft>();
  let characters = 0;
  return {
    /** Adds a row to its entity, which is made when the row is its first. */
    add(id: string, line: number, make: () => EntityDraft, fill: (draft: EntityDraft) => void): void {
      if (id === '') {
        noteBroken(report, `line ${line}`, 'The row has no id.');
        return;
      }
      if (characters > maxCharacters) {
        noteBroken(
          report,
          describeRecord(id.slice(0, 255), line),
          'The list is too large for its format; the row was left out.',
        );
        return;
      }
      let draft = drafts.get(id);
      const sizeBefore = draft?.size ?? 0;
      if (draft === undefined) {
        draft = make();
        drafts.set(draft.entity.id, draft);
      }
      fill(draft);
      characters += draft.size - sizeBefore;
    },
    /** All entities, in the order in which they were first met. */
    finish: (): ListedEntity[] =>
      drafts
        .values()
        .map((draft) => finishDraft(draft, report))
        .filter((entity) => entity !== null)
        .toArray(),
  };
}
