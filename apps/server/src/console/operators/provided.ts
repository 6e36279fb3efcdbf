// Operators whom an identity provider stands for: made at their first sign-in, with the role that their groups give them at each.
import type { OperatorId } from '../../platform/base/ids.ts';
import type { Role } from '../../platform/base/roles.ts';
import type { Core } from '../../platform/core.ts';
import type { Operator } from '../../records/audit/acts.ts';
import type { ProviderIdentity } from './identity-provider.ts';
import { findNameProblem, isSameName } from './names.ts';
import type { OperatorStore } from './store.ts';

interface Admitted {
  operator: Operator;
  /** The role that they had until now, where it was another; undefined for somebody new too. */
  formerRole: Role | undefined;
  isNew: boolean;
}

/** `operator`: who they were here until now, if anyone. */
type NotAdmitted = { refused: 'no-role' | 'name-taken'; operator: Operator | undefined };

export function createProvidedOperators(
  { database, sealer, clock, ids }: Pick<Core, 'database' | 'sealer' | 'clock' | 'ids'>,
  store: OperatorStore,
  /** The role of each group. An operator in several groups has the role of the first in this order. */
  roles: ReadonlyMap<string, Role>,
) {
  return {
    /**
     * Who this is here. `before` is called when it is settled and before anything is changed. Whoever has no role any more is
     * signed out everywhere; a name that somebody else has is not taken over.
     */
    async admit(
      { issuer, subject, name, groups }: ProviderIdentity,
      before: (admitted: Admitted) => Promise<void>,
    ): Promise<Admitted | NotAdmitted> {
      const identityId = sealer.digest('operators/identity', JSON.stringify([issuer, subject])).toString('base64url');
      const role = [...roles].find(([group]) => groups.includes(group))?.[1];
      const identity = await store.findIdentity(identityId);
      const known = identity && (await store.find(identity.operator_id));
      if (role === undefined) {
        if (known) {
          // A link to register a passkey that was not used yet goes as well.
          await database.transact((trx) => store.deleteInvites(trx, known.id));
          await store.deleteSessions(known.id);
        }
        return { refused: 'no-role', operator: known && { id: known.id, name: known.name, role: known.role } };
      }
      if (known) {
        const formerRole = known.role === role ? undefined : known.role;
        const admitted = { operator: { id: known.id, name: known.name, role }, formerRole, isNew: false };
        await before(admitted);
        if (formerRole !== undefined) await database.transact((trx) => store.changeRole(trx, known, role));
        return admitted;
      }
      const nameTaken = { refused: 'name-taken', operator: undefined } as const;
      const isTaken = (await store.list()).some((one) => isSameName(one.name, name));
      if (isTaken || findNameProblem(name) !== undefined) return nameTaken;
      const operator = { id: ids.random<OperatorId>(), name, role };
      const admitted = { operator, formerRole: undefined, isNew: true };
      await before(admitted);
      const row = { ...operator, created_at: clock.now() };
      const isTheirs = await database.transact((trx) => store.insertProvided(trx, row, identityId));
      return isTheirs ? admitted : nameTaken;
    },
  };
}

export type ProvidedOperators = ReturnType<typeof createProvidedOperators>;
