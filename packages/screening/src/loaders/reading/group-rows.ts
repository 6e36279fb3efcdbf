// Merges rows into entities, for lists that spread one entity over many rows.
import type { ListedEntity } from '../../entity.ts';
import { type EntityDraft, finishDraft } from '../entity-draft.ts';
import { describeRecord, type LoadReport, noteBroken } from './load-report.ts';

/** Memory limit. The European and British lists use about a tenth of it. */
const MAX_CHARACTERS = 128 * 1024 * 1024;

/**
 * Buffers all entities until the end, because an entity's rows may be apart. Emitting it twice
 * would replace the first part and silently lose names.
 */
export function createRowGroups(report: LoadReport, maxCharacters = MAX_CHARACTERS) {
  const drafts = new Map<string, EntityDraft>();
  let characters = 0;
  return {
    /** Adds a row to its entity, which the first row creates. */
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
    /** Returns all entities in order of their first row. */
    finish: (): ListedEntity[] =>
      drafts
        .values()
        .map((draft) => finishDraft(draft, report))
        .filter((entity) => entity !== null)
        .toArray(),
  };
}
