// Shows who asks, what happens, what leaves the device, what is kept, and how to start.
import type { FrameObstacle, WelcomeScreen } from '../../course/screens.ts';
import type { TextKey, Translator } from '../../i18n/index.ts';
import { isolate } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { PROOF_NOTES } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { OwnWindow } from '../parts/leaving-link.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { OtherDeviceButton } from '../parts/ways-out.tsx';

type OfferedProof = WelcomeScreen['ways'][number];

/** Fact and button text of each proof. */
const PROOF_LOOKS: Record<OfferedProof, { drawing: DrawingName; says: TextKey; button: TextKey }> = {
  age_key: { drawing: 'key', says: 'proof.ageKey', button: 'proof.ageKeyButton' },
  wallet: { drawing: 'phone', says: 'proof.wallet', button: 'proof.walletButton' },
};

/** Id of the fact that describes the option to leave out the colors. */
const LIGHT_FACT = 'about-light';

function stepFacts(screen: WelcomeScreen, words: Translator): Fact[] {
  const { phoneOnly, canUsePhone } = screen;
  return [
    ...listFacts(screen).map(([drawing, key]): Fact => [drawing, words.text(key)]),
    phoneOnly
      ? ['phone', words.text(canUsePhone ? 'welcome.phoneOnly' : 'welcome.phoneLink')]
      : ['lamp', words.text(getNeeds(screen))],
    ...(screen.colours && !phoneOnly ? [['sun', lightFact(screen, words), LIGHT_FACT] as const] : []),
  ];
}

/** States the consequences of leaving out the colors before the choice. */
function lightFact({ lightRequired }: WelcomeScreen, words: Translator): string {
  const needed = lightRequired ? [words.text('welcome.lightNeeded')] : [];
  return [words.text('welcome.light'), ...needed].join(' ');
}

interface WelcomeProps extends ScreenProps<WelcomeScreen> {
  obstacle: FrameObstacle | null;
}

export function WelcomeView({ screen, actions, words, obstacle }: WelcomeProps) {
  const { requester, phoneOnly, canUsePhone, busy, ways, proving, note } = screen;
  const hasSteps = screen.steps.length > 0;
  const facts: Fact[] = hasSteps ? stepFacts(screen, words) : [];
  const proofFacts = ways.map((way): Fact => [PROOF_LOOKS[way].drawing, words.text(PROOF_LOOKS[way].says)]);
  const startText =
    phoneOnly || screen.resumes ? 'action.continue' : ways.length > 0 ? 'proof.camera' : 'welcome.start';
  const proves = ways.length > 0;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={screen.steps.includes('face') ? 'faceInView' : 'document'}
      above={requester && <p class="asks">{words.text('welcome.asks', { name: isolate(requester) })}</p>}
      buttons={
        <>
          {/* Above the pressed button, where the person is looking. */}
          {obstacle && <OwnWindow obstacle={obstacle} words={words} />}
          {ways.map((way, position) => (
            <Button
              key={way}
              kind={position === 0 ? 'primary' : 'secondary'}
              busy={proving === way}
              onPress={() => actions.useProof(way)}
            >
              {words.text(PROOF_LOOKS[way].button)}
            </Button>
          ))}
          {screen.canLinkWallet && (
            <Button kind="secondary" onPress={actions.linkWallet}>
              {words.text('link.button')}
            </Button>
          )}
          {hasSteps && (!phoneOnly || canUsePhone) && (
            <Button
              kind={proves ? 'secondary' : 'primary'}
              busy={busy && proving === null}
              onPress={phoneOnly ? actions.usePhone : actions.start}
            >
              {words.text(startText)}
            </Button>
          )}
          {canUsePhone && !(phoneOnly && hasSteps) && <OtherDeviceButton actions={actions} words={words} />}
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
      {note && <p class="notice">{words.text(PROOF_NOTES[note])}</p>}
      {proves && <Facts facts={proofFacts} />}
      {hasSteps && <p class="lead">{words.text(getIntro(screen))}</p>}
      <Facts facts={facts} />
      {screen.colours && !phoneOnly && (
        <label class="option">
          <input
            type="checkbox"
            class="tick"
            aria-describedby={LIGHT_FACT}
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

type KeyedFact = readonly [DrawingName, TextKey];

function getIntro(screen: WelcomeScreen): TextKey {
  const { operation, resumes, steps } = screen;
  const hasDocument = steps.includes('identity_document');
  if (resumes) return 'welcome.resume';
  if (operation === 'ENROLL') return hasDocument ? 'welcome.introEnrollDocument' : 'welcome.introEnroll';
  if (operation === 'SIGN-IN') return 'welcome.introSignIn';
  if (operation === 'VERIFY') return 'welcome.introVerify';
  if (!hasDocument) return 'welcome.intro';
  return steps.includes('face') ? 'welcome.introBoth' : 'welcome.introDocument';
}

function getNeeds({ steps }: WelcomeScreen): TextKey {
  return steps.includes('identity_document') ? 'welcome.needsDocument' : 'welcome.needs';
}

function listFacts(screen: WelcomeScreen): readonly KeyedFact[] {
  return screen.operation === 'AGE' ? ageFacts(screen) : personFacts(screen);
}

function ageFacts({ steps, mayAskForDocument, sendsAge }: WelcomeScreen): readonly KeyedFact[] {
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

function personFacts(screen: WelcomeScreen): readonly KeyedFact[] {
  const { operation, steps, sendsAge, contact, passkey } = screen;
  const enrolls = operation === 'ENROLL';
  const hasDocument = steps.includes('identity_document');
  const facts: (KeyedFact | false)[] = [
    ...pictureFacts(screen, hasDocument),
    ['face', enrolls ? 'welcome.keepsToken' : 'welcome.comparesToken'],
    !enrolls && ['devices', 'welcome.remembers'],
    ['send', sendsAge ? 'welcome.sentFaceAge' : 'welcome.sentFace'],
    hasDocument && ['document', 'welcome.sentDocumentToo'],
    contact.length > 0 && ['contact', 'welcome.contact'],
    passkey && ['key', enrolls ? 'welcome.passkeyMake' : 'welcome.passkeyUse'],
  ];
  return facts.filter((fact) => fact !== false);
}

/** Puts the fact about a shared selfie first. */
function pictureFacts({ sharesSelfie }: WelcomeScreen, hasDocument: boolean): readonly KeyedFact[] {
  if (!sharesSelfie) return [['lock', hasDocument ? 'welcome.privateFaceDocument' : 'welcome.privateFace']];
  return [['camera', 'welcome.sharesSelfie'], ...(hasDocument ? [['lock', 'welcome.documentStays'] as const] : [])];
}
