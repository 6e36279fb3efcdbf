// The link that development has by itself: printed at the start until the first operator has used it.
import type { RecordAct } from '../../records/audit/log.ts';
import { inviteLink, type Operators } from './operators.ts';

const FIRST_NAME = 'admin';

/** Undefined without a console, or if an operator can sign in already. */
export async function inviteFirstOperator(
  consoleUrl: string | undefined,
  { operators, record }: { operators: Operators; record: RecordAct },
): Promise<string | undefined> {
  if (consoleUrl === undefined) return undefined;
  if ((await operators.list()).some(({ name, passkeys }) => passkeys > 0 || name !== FIRST_NAME)) return undefined;
  await record(await operators.inviteActOf(FIRST_NAME), FIRST_NAME);
  const invite = await operators.invite(FIRST_NAME, 'admin');
  return invite && inviteLink(consoleUrl, invite);
}
