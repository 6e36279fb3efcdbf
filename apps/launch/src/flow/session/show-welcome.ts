// The welcome screen, with the time left and whether this browser stores a face.
import type { Proof } from '@limen/plan';
import type { WelcomeScreen } from '../../course/screens.ts';
import type { PeopleMemory } from '../check/recall-people.ts';
import type { ColorChoice } from '../colour-choice.ts';
import type { Stage } from '../stage.ts';
import { toMinutes } from './describe-view.ts';
import type { Standing } from './standing.ts';
import type { SessionClock } from './watch-clock.ts';

export type Welcome = ReturnType<typeof createWelcome>;

interface WelcomeOptions {
  stage: Pick<Stage, 'state' | 'show'>;
  standing: Standing;
  clock: Pick<SessionClock, 'leftMs'>;
  memory(): ReturnType<PeopleMemory['state']>;
  colours: Pick<ColorChoice, 'isLeftOut'>;
  /** Lists the proofs that this browser can present. */
  listUsableProofs(proofs: readonly Proof[]): readonly Proof[];
  /** Whether the browser can ask wallets. */
  asksWallets(): boolean;
}

export function createWelcome(options: WelcomeOptions) {
  const { stage, standing, clock, memory, colours: colors, listUsableProofs, asksWallets } = options;
  const fresh = () => ({ minutesLeft: toMinutes(clock.leftMs()), memory: memory() });
  const chosen = () => (colors.isLeftOut() ? 'left_out' : 'shown');
  return {
    show(changes?: Partial<WelcomeScreen>): void {
      const view = standing.view();
      if (!view) return;
      const ways = listUsableProofs(view.asks.proofs ?? []);
      const hasNoWay = view.asks.steps.length === 0 && ways.length === 0;
      stage.show({
        name: 'welcome',
        ...view.asks,
        ...fresh(),
        colours: view.asks.light ? chosen() : null,
        resumes: view.role === 'active' && view.state === 'capturing',
        phoneOnly: standing.isPhoneOnly(),
        canUsePhone: standing.canUsePhone(),
        busy: false,
        ways,
        canLinkWallet: ways.includes('wallet') && asksWallets(),
        proving: null,
        note: null,
        ...changes,
        ...(hasNoWay && { note: 'no_tries' }),
      });
    },
    refresh(changes?: Partial<WelcomeScreen>): void {
      const { screen } = stage.state();
      if (screen.name === 'welcome')
        stage.show({ ...screen, ...fresh(), colours: screen.colours && chosen(), ...changes });
    },
  };
}
