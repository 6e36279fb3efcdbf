// Sealed cases in the database, with their notes.
import type { Core } from '../platform/core.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { CaseContent, CaseRow, NoteContent, NoteRow } from './case.ts';
import { tables } from './tables.ts';

export type ReviewNote = NoteContent & { at: number };

export function createCaseFiles(core: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>) {
  const { sealer, clock, ids } = core;
  const sealed = (row: Omit<CaseRow, 'sealed'>, content: CaseContent): CaseRow => {
    const whole = { ...row, sealed: new Uint8Array() };
    return { ...whole, sealed: sealer.sealJson(content, tables.review_cases.places.sealed(whole)) };
  };
  const files = {
    /** Throws if the row was edited in the database. */
    open: (row: CaseRow) => sealer.openJson(row.sealed, tables.review_cases.places.sealed(row)) as CaseContent,
    /** Returns undefined if the row was edited in the database. */
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
    async history(caseId: string) {
      const notes = core.database.queries.selectFrom('review_notes').selectAll().where('case_id', '=', caseId);
      const rows = await notes.orderBy('id').execute();
      return rows.map((row): ReviewNote => {
        const note = sealer.openJson(row.sealed, tables.review_notes.places.sealed(row)) as NoteContent;
        return { ...note, at: row.at };
      });
    },
  };
  return files;
}

export type CaseFiles = ReturnType<typeof createCaseFiles>;
