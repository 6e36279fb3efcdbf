// The link that development has by itself: printed at the start until the first operator has used it.
import type { Config } from './config.ts';
import type { RecordAct } from './core/audit/record-act.ts';
import { inviteLink, type Operators } from './core/operators/operators.ts';
import { consoleAddressOf } from './part-settings.ts';

const FIRST_NAME = 'admin';

/** Undefined where somebody can sign in already, in production, and on a PostgreSQL that may be shared. */
export async function inviteFirstOperator(
  config: Config,
  { operators, record }: { operators: Operators; record: RecordAct },
  address: string,
): Promise<string | undefined> {
  const consoleUrl = consoleAddressOf(config, { address: () => address });
  if (consoleUrl === undefined || config.production || config.DATABASE_URL !== undefined) return undefined;
  if ((await operators.list()).some(({ name, passkeys }) => passkeys > 0 || name !== FIRST_NAME)) return undefined;
  await record(await operators.inviteActOf(FIRST_NAME), FIRST_NAME);
  const invite = await operators.invite(FIRST_NAME, 'admin');
  return invite && inviteLink(consoleUrl, invite);
}
