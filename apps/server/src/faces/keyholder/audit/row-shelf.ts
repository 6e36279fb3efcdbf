// Lines of the audit as rows: they last with the transaction that writes them, and a day's go together.
import { NEXT_SEGMENT } from './record.ts';
import type { AuditShelf } from './shelf.ts';

export function createRowShelf(): AuditShelf {
  return {
    prepare: (last) => last ?? { lines: 0, bytes: 0 },
    async put(rows, nth, line) {
      await rows.run(`insert into audit_lines (segment, number, line) values (${NEXT_SEGMENT}, ?, ?)`, nth, line);
    },
    putAway: () => true, // they have had the number of their day from the first
    async remove(rows, { number }) {
      await rows.run('delete from audit_lines where segment = ?', number);
    },
  };
}
