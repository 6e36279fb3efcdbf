// The welcome, with what is left of the session's time and whether this browser keeps somebody's face.
import type { Proof } from '@limen/plan';
import type { WelcomeScreen } from '../../course/screens.ts';
import type { PeopleMemory } from '../check/recall-people.ts';
import type { ColourChoice } from '../colour-choice.ts';
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
  colours: Pick<ColourChoice, 'isLeftOut'>;
  /** What of these this browser can show. */
  waysOf(proofs: readonly Proof[]): readonly Proof[];
  /** Whether the browser can ask wallets. */
  asksWallets(): boolean;
}

export function createWelcome(options: WelcomeOptions) {
  const { stage, standing, clock, memory, colours, waysOf, asksWallets } = options;
  const fresh = () => ({ minutesLeft: toMinutes(clock.leftMs()), memory: memory() });
  const chosen = () => (colours.isLeftOut() ? 'left_out' : 'shown');
  return {
    show(changes?: Partial<WelcomeScreen>): void {
      const view = standing.view();
      if (!view) return;
      const ways = waysOf(view.asks.proofs ?? []);
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
    /** Does nothing unless it is what is shown. */
    refresh(changes?: Partial<WelcomeScreen>): void {
      const { screen } = stage.state();
      if (screen.name === 'welcome')
        stage.show({ ...screen, ...fresh(), colours: screen.colours && chosen(), ...changes });
    },
  };
}
