// What a person has brought, instead of the check: asked of the browser, shown to the service. Whatever comes of it short of an
// end leads back to the welcome and its other ways.
import type { AgeKeyRefusal, Proof } from '@limen/plan';
import type { DeviceView, SeenIndicators } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { PageTools } from '../page-tools.ts';
import type { Welcome } from '../session/show-welcome.ts';
import { untilAnswered } from '../waiting/until-answered.ts';

export interface Proofs {
  /** Of those that the session takes, what this browser can show and the service will still look at. */
  waysOf(proofs: readonly Proof[]): readonly Proof[];
  show(proof: Proof): void;
}

interface ProofsOptions extends PageTools {
  passkeys: Passkeys;
  collectSignals(): Promise<SeenIndicators>;
  welcome(): Welcome;
  open(view: DeviceView): void;
}

const NOTES: Readonly<Record<AgeKeyRefusal, ProofNote>> = {
  not_known: 'not_known',
  too_old: 'not_enough',
  too_weak: 'not_enough',
  too_low: 'not_enough',
  too_often: 'too_often',
  not_valid: 'failed',
};

export function createProofs(options: ProofsOptions): Proofs {
  const { client, platform, stage, work, claiming, passkeys } = options;
  const spent = new Set<Proof>();
  /** Those that came to nothing are still good. */
  let questions: object | null = null;

  return {
    waysOf: (proofs) => proofs.filter((proof) => proof === 'age_key' && !spent.has(proof) && passkeys.isSupported()),
    show(proof) {
      options.welcome().show({ busy: true, proving: proof });
      work.run(async ({ signal }) => {
        if (!claiming.isMade()) await claiming.claim(signal);
        const note = await useAgeKey(signal);
        if (note) options.welcome().show({ note });
      });
    },
  };

  /** Nothing once the session has ended with it. */
  async function useAgeKey(signal: AbortSignal): Promise<ProofNote | undefined> {
    const ask = <Reply>(call: () => Promise<Reply>) =>
      untilAnswered(call, { platform, signal, onWaiting: tellWaiting });
    const [asked] = await Promise.all([questions ?? ask(() => client.ageKeyOptions({ signal })), passkeys.prepare()]);
    questions = asked;
    signal.throwIfAborted();
    const { publicKey } = asked as Awaited<ReturnType<typeof client.ageKeyOptions>>;
    const response = await passkeys.ask('assert', publicKey).catch(() => null);
    signal.throwIfAborted();
    if (!response) return 'failed';
    questions = null;
    tellWaiting(false);
    const indicators = await options.collectSignals();
    const reply = await ask(() => client.useAgeKey(response, { indicators, signal }));
    if (reply.outcome === 'accepted') {
      options.open(await ask(() => client.view({ signal })));
      return undefined;
    }
    if (reply.triesLeft === 0) spent.add('age_key');
    return NOTES[reply.reason ?? 'not_valid'];
  }

  function tellWaiting(offline: boolean): void {
    stage.show({ name: 'working', doing: 'passkey', offline });
  }
}
