// Cases as they lie in the database: sealed, with the notes about them. What opens and closes them is part of the transaction
// of whatever they are about.
import type { Clock } from '../platform/base/clock.ts';
import type { Ids } from '../platform/base/ids.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { Sealer } from '../platform/sealing/sealer.ts';
import { type CaseContent, type CaseRow, casePlace, type NoteContent, type NoteRow, notePlace } from './case.ts';
import type { ReviewStore } from './store.ts';

export interface Note extends NoteContent {
  at: number;
}

export interface CaseFiles {
  /** Fails where the row was edited. */
  open(row: CaseRow): CaseContent;
  /** Undefined where it was. */
  openIfWhole(row: CaseRow): CaseContent | undefined;
  add(trx: Transaction, row: Omit<CaseRow, 'sealed'>, content: CaseContent, note: NoteContent): Promise<void>;
  /** Writes the row as it is from now on, and what was done to it. */
  change(trx: Transaction, row: CaseRow, content: CaseContent, note?: NoteContent): Promise<CaseRow>;
  note(trx: Transaction, caseId: string, note: NoteContent): Promise<void>;
  /** Oldest first. */
  history(caseId: string): Promise<Note[]>;
}

interface CaseFilesOptions {
  store: ReviewStore;
  sealer: Sealer;
  clock: Clock;
  ids: Ids;
}

export function createCaseFiles({ store, sealer, clock, ids }: CaseFilesOptions): CaseFiles {
  const sealed = (row: Omit<CaseRow, 'sealed'>, content: CaseContent): CaseRow => {
    const whole = { ...row, sealed: new Uint8Array() };
    return { ...whole, sealed: sealer.sealJson(content, casePlace(whole)) };
  };
  const files: CaseFiles = {
    open: (row) => sealer.openJson(row.sealed, casePlace(row)) as CaseContent,
    openIfWhole(row) {
      try {
        return files.open(row);
      } catch {
        return undefined;
      }
    },
    async add(trx, row, content, note) {
      await store.insert(trx, sealed(row, content));
      await files.note(trx, row.id, note);
    },
    async change(trx, row, content, note) {
      const changed = sealed(row, content);
      await store.update(trx, changed);
      if (note) await files.note(trx, row.id, note);
      return changed;
    },
    async note(trx, caseId, note) {
      const row: Omit<NoteRow, 'sealed'> = { id: ids.sortable(), case_id: caseId, at: clock.now() };
      await store.addNote(trx, { ...row, sealed: sealer.sealJson(note, notePlace(row)) });
    },
    async history(caseId) {
      const rows = await store.notesOf(caseId);
      return rows.map((row) => ({ ...(sealer.openJson(row.sealed, notePlace(row)) as NoteContent), at: row.at }));
    },
  };
  return files;
}
