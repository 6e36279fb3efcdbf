// The log of a command: warnings of the parts that it opens, as sentences on standard error.
import pino, { type Logger } from 'pino';
import { toPrintable } from './terminal/print-table.ts';
import type { Terminal } from './terminal/terminal.ts';

export function logTo(terminal: Terminal): Logger {
  return pino(
    { level: 'warn', base: null },
    {
      write(line: string) {
        const { msg, embedding, table, row } = JSON.parse(line) as Record<
          'msg' | 'embedding' | 'table' | 'row',
          string
        >;
        const which = embedding ?? (row === undefined ? undefined : `${table} ${row}`);
        terminal.complain(toPrintable(which === undefined ? msg : `${msg} (${which})`));
      },
    },
  );
}
