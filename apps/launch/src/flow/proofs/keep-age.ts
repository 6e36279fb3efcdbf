// Creates an age key after a successful check. Optional: a failure changes nothing else.
import type { DeviceClient } from '@limen/sdk/device';
import type { EndScreen, KeptAge } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { Stage } from '../stage.ts';

interface KeepAgeOptions {
  client: Pick<DeviceClient, 'newAgeKeyOptions' | 'makeAgeKey'>;
  passkeys: Passkeys;
  stage: Pick<Stage, 'state' | 'update'>;
}

export function createKeepAge({ client, passkeys, stage }: KeepAgeOptions): () => void {
  return () => {
    const { screen } = stage.state();
    if (screen.name !== 'end' || !screen.keep) return;
    const { keep } = screen;
    showState(screen, keep, 'asking');
    make().then(
      (isMade) => showState(screen, keep, isMade ? 'kept' : 'failed'),
      () => showState(screen, keep, 'failed'),
    );
  };

  async function make(): Promise<boolean> {
    const [{ publicKey }] = await Promise.all([client.newAgeKeyOptions(), passkeys.prepare()]);
    const { outcome } = await client.makeAgeKey(await passkeys.ask('register', publicKey));
    return outcome === 'made';
  }

  function showState(screen: EndScreen, keep: KeptAge, state: KeptAge['state']): void {
    stage.update({ screen: { ...screen, keep: { ...keep, state } } });
  }
}
