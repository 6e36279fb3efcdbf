// An age key in place of the check: asked of the browser's passkeys, shown to the service.
import type { AgeKeyRefusal } from '@limen/plan';
import type { PasskeyOptionsReply } from '@limen/sdk/device';
import type { ProofNote } from '../../course/screens.ts';
import type { Passkeys } from '../../passkeys/passkeys.ts';
import type { Asking, ProofOutcome } from './asking.ts';

const NOTES: Readonly<Record<AgeKeyRefusal, ProofNote>> = {
  not_known: 'not_known',
  too_old: 'not_enough',
  too_weak: 'not_enough',
  too_low: 'not_enough',
  too_often: 'too_often',
  not_valid: 'failed',
};

export function createAgeKeyUse(passkeys: Passkeys): (asking: Asking) => Promise<ProofOutcome> {
  /** Those that came to nothing are still good. */
  let questions: PasskeyOptionsReply | null = null;

  return async ({ client, signal, bring, ask, tellWaiting, collectSignals }) => {
    const [asked] = await Promise.all([questions ?? bring(() => client.ageKeyOptions({ signal })), passkeys.prepare()]);
    questions = asked;
    signal.throwIfAborted();
    const response = await passkeys.ask('assert', asked.publicKey).catch(() => null);
    signal.throwIfAborted();
    if (!response) return { note: 'failed' };
    questions = null;
    tellWaiting(false);
    const indicators = await collectSignals();
    const { outcome, reason, triesLeft } = await ask(() => client.useAgeKey(response, { indicators, signal }));
    if (outcome === 'accepted') return 'accepted';
    return { note: NOTES[reason ?? 'not_valid'], isSpent: triesLeft === 0 };
  };
}
