// Checks the keys that sign results and receipts: which are there, and how old they are.

import { hasTable } from '../../../platform/database/migrate.ts';
import { describeAge } from '../../../platform/text/describe-age.ts';
import { chooseSigning, OLD_KEY_MS, stateOf, WORLDS } from '../../../signing/rules.ts';
import { listSigningKeys, type SigningKeyRow } from '../../../signing/store.ts';
import { type Check, type Finding, ok, warning } from './check.ts';

export const checkSigningKeys: Check = async ({ clock, database: facts }) => {
  if (facts.state === 'silent') return [warning('not checked, because the database does not answer', 'see above')];
  const isThere = facts.state === 'answers' && (await hasTable(facts.database, 'signing_keys'));
  const rows = isThere ? await listSigningKeys(facts.database.queries) : [];
  return judgeSigningKeys(rows, clock.now());
};

export function judgeSigningKeys(rows: readonly Omit<SigningKeyRow, 'sealed'>[], now: number): Finding[] {
  if (rows.length === 0) return [ok('none yet; the server makes them at its first start')];
  return WORLDS.flatMap((world) => {
    const keys = rows.filter((row) => row.world === world);
    const signing = chooseSigning(keys, now);
    if (!signing) return [];
    const others = keys.filter((key) => ['next', 'retired'].includes(stateOf(key, keys, now))).length;
    const age = Math.max(0, now - signing.signs_from);
    const found = `${world}: ${signing.id} has signed for ${describeAge(age)}; ${others} more published`;
    return [age < OLD_KEY_MS ? ok(found) : warning(found, `limen signing-keys rotate --world ${world}`)];
  });
}
