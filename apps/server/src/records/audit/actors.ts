// Who acts: an operator of the console, or whoever has the machine.
import { named, type OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';

export const COMMAND_LINE_NAME = 'command line';

export interface Operator {
  id: OperatorId;
  name: string;
  role: Role;
}

/** Whoever has the machine, in the audit log: they may do everything, and have no passkey. */
export const COMMAND_LINE: Operator = { id: named(COMMAND_LINE_NAME), name: COMMAND_LINE_NAME, role: 'admin' };
