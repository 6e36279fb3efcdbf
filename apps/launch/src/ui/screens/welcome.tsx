// Who asks, what happens, what leaves the device, and the way in.
import type { WelcomeScreen } from '../../flow/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { Button } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

/** Whatever direction a name is written in, the sentence around it keeps its own. */
const isolate = (name: string) => `\u2068${name}\u2069`;

export function WelcomeView({ screen, actions, words }: ScreenProps<WelcomeScreen>) {
  const { requester, phoneOnly, canUsePhone, busy } = screen;
  const facts: Fact[] = [
    ...factsOf(screen).map(([drawing, key]): Fact => [drawing, words.text(key)]),
    phoneOnly ? ['phone', words.text('welcome.phoneOnly')] : ['lamp', words.text(needsOf(screen))],
  ];
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={screen.steps.includes('face') ? 'faceInView' : 'document'}
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
  if (!steps.includes('identity_document')) return 'welcome.intro';
  return steps.includes('face') ? 'welcome.introBoth' : 'welcome.introDocument';
}

/** What stays on the device, and what leaves it. */
function factsOf({ steps, mayAskForDocument, sendsAge }: WelcomeScreen): (readonly [DrawingName, TextKey])[] {
  if (!steps.includes('identity_document')) {
    return [
      ['lock', 'welcome.private'],
      ['send', sendsAge ? 'welcome.sentAge' : 'welcome.sent'],
      ...(mayAskForDocument ? [['document', 'welcome.maybeDocument'] as const] : []),
    ];
  }
  return [
    ['lock', 'welcome.privateDocument'],
    ['send', sendsAge ? 'welcome.sentDocumentAge' : 'welcome.sentDocument'],
    ...(steps.includes('face') ? [['face', 'welcome.sentMatchToo'] as const] : []),
  ];
}

function needsOf({ steps }: WelcomeScreen): TextKey {
  return steps.includes('identity_document') ? 'welcome.needsDocument' : 'welcome.needs';
}
