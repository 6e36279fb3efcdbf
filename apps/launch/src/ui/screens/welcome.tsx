// Who asks, what happens, what leaves the device, and the way in.
import type { WelcomeScreen } from '../../flow/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { Button } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

/** Whatever direction a name is written in, the sentence around it keeps its own. */
const isolate = (name: string) => `\u2068${name}\u2069`;

export function WelcomeView({ screen, actions, words }: ScreenProps<WelcomeScreen>) {
  const { requester, phoneOnly, canUsePhone, busy } = screen;
  const facts: Fact[] = [
    ['lock', words.text('welcome.private')],
    ['send', words.text(screen.sendsAge ? 'welcome.sentAge' : 'welcome.sent')],
    phoneOnly ? ['phone', words.text('welcome.phoneOnly')] : ['lamp', words.text('welcome.needs')],
  ];
  const looksAtFace = screen.steps.includes('face');
  if (screen.steps.includes('identity_document') && looksAtFace)
    facts.push(['document', words.text('document.notYet')]);
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="faceInView"
      above={requester && <p class="asks">{words.text('welcome.asks', { name: isolate(requester) })}</p>}
      buttons={
        <>
          <Button kind="primary" busy={busy} onPress={phoneOnly ? actions.usePhone : actions.start}>
            {words.text(phoneOnly || screen.resumes ? 'action.continue' : 'welcome.start')}
          </Button>
          {canUsePhone && !phoneOnly && (
            <Button kind="secondary" onPress={actions.usePhone}>
              {words.text('action.otherDevice')}
            </Button>
          )}
          <Button kind="quiet" onPress={actions.askToCancel}>
            {words.text('welcome.cancel')}
          </Button>
        </>
      }
    >
      <p class="lead">{words.text(introOf(screen))}</p>
      <Facts facts={facts} />
      <p class="small">{words.text('welcome.timeLeft', { count: screen.minutesLeft })}</p>
    </ScreenFrame>
  );
}

function introOf({ resumes, steps }: WelcomeScreen): TextKey {
  if (resumes) return 'welcome.resume';
  return steps.includes('face') ? 'welcome.intro' : 'document.notYet';
}
