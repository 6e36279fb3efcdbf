// Who asks, what happens, what leaves the device, what is kept, and the way in.
import type { WelcomeScreen } from '../../course/screens.ts';
import { isolate } from '../isolate.ts';
import { Button } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { OtherDeviceButton } from '../parts/ways-out.tsx';
import { factsOf, introOf, needsOf } from './welcome-facts.ts';

export function WelcomeView({ screen, actions, words }: ScreenProps<WelcomeScreen>) {
  const { requester, phoneOnly, canUsePhone, busy } = screen;
  const facts: Fact[] = [
    ...factsOf(screen).map(([drawing, key]): Fact => [drawing, words.text(key)]),
    phoneOnly
      ? ['phone', words.text(canUsePhone ? 'welcome.phoneOnly' : 'welcome.phoneLink')]
      : ['lamp', words.text(needsOf(screen))],
    ...(screen.colours && !phoneOnly ? [['sun', words.text('welcome.light')] as const] : []),
  ];
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={screen.steps.includes('face') ? 'faceInView' : 'document'}
      above={requester && <p class="asks">{words.text('welcome.asks', { name: isolate(requester) })}</p>}
      buttons={
        <>
          {(!phoneOnly || canUsePhone) && (
            <Button kind="primary" busy={busy} onPress={phoneOnly ? actions.usePhone : actions.start}>
              {words.text(phoneOnly || screen.resumes ? 'action.continue' : 'welcome.start')}
            </Button>
          )}
          {canUsePhone && !phoneOnly && <OtherDeviceButton actions={actions} words={words} />}
          {screen.memory === 'somebody' && (
            <Button kind="quiet" onPress={actions.askToForget}>
              {words.text('forget.button')}
            </Button>
          )}
          <Button kind="quiet" onPress={actions.askToCancel}>
            {words.text('welcome.cancel')}
          </Button>
        </>
      }
    >
      {screen.memory === 'forgotten' && <p class="notice">{words.text('forget.done')}</p>}
      <p class="lead">{words.text(introOf(screen))}</p>
      <Facts facts={facts} />
      {screen.colours && !phoneOnly && (
        <label class="option">
          <input
            type="checkbox"
            class="tick"
            checked={screen.colours === 'left_out'}
            onChange={({ currentTarget }) => actions.leaveOutColours(currentTarget.checked)}
          />
          {words.text('light.leaveOut')}
        </label>
      )}
      <p class="small">{words.text('welcome.timeLeft', { count: screen.minutesLeft })}</p>
    </ScreenFrame>
  );
}
