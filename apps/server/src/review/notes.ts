// Sealed cases in the database, with their notes. A case opens and closes within the transaction
// of the change that causes it.
import type { Core } from '../platform/core.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { CaseContent, CaseRow, NoteContent, NoteRow } from './case.ts';
import { tables } from './tables.ts';

export interface Note extends NoteContent {
  at: number;
}

type CaseCore = Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>;

export function createCaseFiles({ database: { queries }, sealer, clock, ids }: CaseCore) {
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
      await trx.insertInto('review_cases').values(sealed(row, content)).execute();
      await files.note(trx, row.id, note);
    },
    /** Writes the row as it is from now on, and what was done to it. */
    async change(trx: Transaction, row: CaseRow, content: CaseContent, note?: NoteContent) {
      const changed = sealed(row, content);
      const { id, ...columns } = changed;
      await trx.updateTable('review_cases').set(columns).where('id', '=', id).execute();
      if (note) await files.note(trx, row.id, note);
      return changed;
    },
    async note(trx: Transaction, caseId: string, note: NoteContent) {
      const row: Omit<NoteRow, 'sealed'> = { id: ids.sortable(), case_id: caseId, at: clock.now() };
      const values = { ...row, sealed: sealer.sealJson(note, tables.review_notes.places.sealed(row)) };
      await trx.insertInto('review_notes').values(values).execute();
    },
    /** Oldest first. */
    async history(caseId: string) {
      const notes = queries.selectFrom('review_notes').selectAll().where('case_id', '=', caseId);
      const rows = await notes.orderBy('id').execute();
      return rows.map((row) => ({
        ...(sealer.openJson(row.sealed, tables.review_notes.places.sealed(row)) as NoteContent),
        at: row.at,
      }));
    },
  };
  return files;
}

export type CaseFiles = ReturnType<typeof createCaseFiles>;
