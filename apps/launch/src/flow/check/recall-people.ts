// Knows whether this browser stores a face. Deletes it here at once, and at the service as soon as
// possible.
import type { DeviceClient, DevicePlan } from '@limen/sdk/device';
import type { WelcomeScreen } from '../../course/screens.ts';
import type { KnownPeople } from '../../people/people-store.ts';
import type { PersonRecord } from '../../people/person-record.ts';

export type PeopleMemory = ReturnType<typeof createMemory>;

export function createMemory(people: KnownPeople, onChange: () => void) {
  let state: WelcomeScreen['memory'] = 'none';
  let forgotten: PersonRecord[] = [];

  function set(next: WelcomeScreen['memory']): void {
    if (next === state) return;
    state = next;
    onChange();
  }

  async function forget(): Promise<void> {
    const records = await people.all();
    await people.forget(records.map(({ deviceId }) => deviceId));
    forgotten = records;
    set('forgotten');
  }

  return {
    state: (): WelcomeScreen['memory'] => state,
    load(): void {
      if (state !== 'none') return;
      people.all().then(
        (records) => set(records.length > 0 ? 'somebody' : 'none'),
        () => undefined,
      );
    },
    // If the browser fails to delete them, the button stays.
    forget: (): void => void forget().catch(() => undefined),
    /** Asks the service in the background to drop the deleted devices of the plan's gallery. */
    forgetAtService(client: Pick<DeviceClient, 'forgetDevice'>, { steps }: Pick<DevicePlan, 'steps'>): void {
      const step = steps.find((planned) => planned.step === 'token');
      const sent = forgotten.filter(({ gallery }) => gallery === step?.gallery);
      forgotten = forgotten.filter((record) => !sent.includes(record));
      for (const { deviceId, pair } of sent)
        client.forgetDevice({ deviceId, privateKey: pair.privateKey }).catch(() => undefined);
    },
  };
}
