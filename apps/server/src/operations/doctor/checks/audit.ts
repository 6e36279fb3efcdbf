// Looks at the checkpoints of the console's audit log; its lines are for `limen audit verify`, which reads all of them.
import { createCheckpoints, readDays } from '../../../records/audit/checkpoints.ts';
import { createAuditStore } from '../../../records/audit/store.ts';
import { type Check, failure, ok } from './check.ts';
import { openSealed } from './open-sealed.ts';

export const checkAudit: Check = async (facts) => {
  const opened = await openSealed(facts);
  if (opened?.state !== 'open') return [];
  const rows = await createAuditStore(opened.database).listSegments();
  const { broken } = readDays(createCheckpoints(opened.sealer), rows);
  if (!broken)
    return [
      ok(
        rows.length === 1
          ? 'the checkpoint of its day holds'
          : `the checkpoints of all ${rows.length} days follow from each other`,
      ),
    ];
  return [
    failure(
      `changed from outside at ${broken.day}: ${broken.problem}; no day from there on is pruned`,
      'see limen audit verify; find out who writes to the database, and restore the log from a backup',
    ),
  ];
};
