// Whether this browser keeps somebody's face, and forgetting it: here at once, and at the service when it can be told.
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
    /** Finds out. */
    look(): void {
      if (state !== 'none') return;
      people.all().then(
        (records) => set(records.length > 0 ? 'somebody' : 'none'),
        () => undefined,
      );
    },
    // A browser that does not let go of it keeps its button, too.
    /** All of them, whatever site they are for. */
    forget: (): void => void forget().catch(() => undefined),
    /**
     * Lets the service drop the devices that were forgotten here and are of the plan's gallery. Nobody waits for it: their
     * keys are gone, so that what is left of them can be used by nobody.
     */
    tell(client: Pick<DeviceClient, 'forgetDevice'>, { steps }: Pick<DevicePlan, 'steps'>): void {
      const step = steps.find((one) => one.step === 'token');
      const told = forgotten.filter(({ gallery }) => gallery === step?.gallery);
      forgotten = forgotten.filter((record) => !told.includes(record));
      for (const { deviceId, pair } of told)
        client.forgetDevice({ deviceId, privateKey: pair.privateKey }).catch(() => undefined);
    },
  };
}
