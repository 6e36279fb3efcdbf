// Sealed cases in the database, with their notes. A case opens and closes within the transaction
// of the change that causes it.
import type { Clock } from '../platform/base/clock.ts';
import type { Ids } from '../platform/base/ids.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import type { CaseContent, CaseRow, NoteContent, NoteRow } from './case.ts';
import type { ReviewStore } from './store.ts';
import { tables } from './tables.ts';

export interface Note extends NoteContent {
  at: number;
}

interface CaseFilesOptions {
  store: ReviewStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
}

export function createCaseFiles({ store, sealer, clock, ids }: CaseFilesOptions) {
  const sealed = (row: Omit<CaseRow, 'sealed'>, content: CaseContent): CaseRow => {
    const whole = { ...row, sealed: new Uint8Array() };
    return { ...whole, sealed: sealer.sealJson(content, tables.review_cases.places.sealed(whole)) };
  };
  const files = {
    /** Fails where the row was edited. */
    open: (row: CaseRow) => sealer.openJson(row.sealed, tables.review_cases.places.sealed(row)) as CaseContent,
    /** Undefined where it was. */
    openIfWhole(row: CaseRow) {
      try {
        return files.open(row);
      } catch {
        return undefined;
      }
    },
    async add(trx: Transaction, row: Omit<CaseRow, 'sealed'>, content: CaseContent, note: NoteContent) {
      await store.insert(trx, sealed(row, content));
      await files.note(trx, row.id, note);
    },
    /** Writes the row as it is from now on, and what was done to it. */
    async change(trx: Transaction, row: CaseRow, content: CaseContent, note?: NoteContent) {
      const changed = sealed(row, content);
      await store.update(trx, changed);
      if (note) await files.note(trx, row.id, note);
      return changed;
    },
    async note(trx: Transaction, caseId: string, note: NoteContent) {
      const row: Omit<NoteRow, 'sealed'> = { id: ids.sortable(), case_id: caseId, at: clock.now() };
      await store.addNote(trx, { ...row, sealed: sealer.sealJson(note, tables.review_notes.places.sealed(row)) });
    },
    /** Oldest first. */
    async history(caseId: string) {
      const rows = await store.notesOf(caseId);
      return rows.map((row) => ({
        ...(sealer.openJson(row.sealed, tables.review_notes.places.sealed(row)) as NoteContent),
        at: row.at,
      }));
    },
  };
  return files;
}

export type CaseFiles = ReturnType<typeof createCaseFiles>;
