// People enrolled by this demo, in memory only and by puid, for trying VERIFY.
import type { PersonView } from './check-view.ts';

const MAX_PEOPLE = 20;

export interface PeopleList {
  add(person: PersonView): void;
  /** Latest first. */
  list(): PersonView[];
}

export function createPeopleList(): PeopleList {
  const people = new Map<string, PersonView>();
  return {
    add(person) {
      people.delete(person.puid); // enrolled again, and thus the latest
      people.set(person.puid, person);
      for (const puid of people.keys()) {
        if (people.size <= MAX_PEOPLE) break;
        people.delete(puid);
      }
    },
    list: () => [...people.values()].reverse(),
  };
}

/** Returns the puid from the webhook of a successful ENROLL. */
export function enrolledPuid(request: unknown, webhook: unknown): string | undefined {
  const { type } = (request ?? {}) as { type?: unknown };
  const { status, puid } = (webhook ?? {}) as { status?: unknown; puid?: unknown };
  return type === 'ENROLL' && status === 'SUCCESS' && typeof puid === 'string' ? puid : undefined;
}
