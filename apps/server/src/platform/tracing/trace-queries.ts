// Queries as spans: what was done to which table. Their texts stay out, and their values all the more.
import type { Engine } from '../database/database.ts';
import type { OnQuery } from '../database/sqlite-dialect.ts';
import type { Tracing } from './tracing.ts';

const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

export function traceQueries(tracing: Tracing, engine: Engine): OnQuery {
  return (sql, ms, hasFailed) => {
    const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? 'query';
    const table = /\b(?:from|into|update|join)\s+"(\w+)"/.exec(sql)?.[1];
    tracing.note(
      {
        name: table ? `${operation} ${table}` : operation,
        kind: 'client',
        attributes: {
          'db.system.name': SYSTEMS[engine],
          'db.operation.name': operation,
          ...(table && { 'db.collection.name': table }),
        },
      },
      ms,
      hasFailed,
    );
  };
}
