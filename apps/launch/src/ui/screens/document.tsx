// Screens of the document step: choice, instructions, capture and problems.
import type { DocumentCaptureScreen, Screen } from '../../course/screens.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentProblem } from '../../document/kinds.ts';
import type { TextKey } from '../../i18n/index.ts';
import { sideText, triesText } from '../announce.ts';
import { SideDrawing } from '../drawings/documents.tsx';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';
import { getExplanation } from '../headings.ts';
import { Button, FileButton } from '../parts/button.tsx';
import { CameraStage } from '../parts/camera-stage.tsx';
import { Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { StopColors } from '../parts/stop-colours.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

const KINDS: Readonly<Record<DocumentKind, readonly [name: TextKey, hint: TextKey]>> = {
  passport: ['document.passport', 'document.passportHint'],
  card: ['document.card', 'document.cardHint'],
  licence: ['document.licence', 'document.licenceHint'],
};

export function DocumentView({ screen, asks, actions, words }: ScreenProps<Extract<Screen, { name: 'document' }>>) {
  const asksForAge = !asks || asks.operation === 'AGE';
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <>
          {screen.canUsePhone && <OtherDeviceButton actions={actions} words={words} />}
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      <div class="choices">
        {DOCUMENT_KINDS.map((kind) => (
          <button key={kind} type="button" class="choice" data-kind={kind} onClick={() => actions.chooseDocument(kind)}>
            <Drawing name={kind} />
            <span>
              <b>{words.text(KINDS[kind][0])}</b>
              <span class="hint">{words.text(KINDS[kind][1])}</span>
            </span>
          </button>
        ))}
      </div>
      <Facts facts={[['lock', words.text(asksForAge ? 'document.private' : 'document.privateFace')]]} />
    </ScreenFrame>
  );
}

export function DocumentHoldView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'document_hold' }>>) {
  const { kind, side, mayUseFile, canUsePhone } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      picture={<SideDrawing kind={kind} side={side} />}
      buttons={
        <>
          <Button kind="primary" drawing="camera" onPress={actions.scanDocument}>
            {words.text('document.useCamera')}
          </Button>
          {mayUseFile && (
            <FileButton onFile={actions.useDocumentFile} hint={words.text('document.fileHint')}>
              {words.text('document.useFile')}
            </FileButton>
          )}
          {canUsePhone && <OtherDeviceButton actions={actions} words={words} />}
          <Button kind="quiet" onPress={actions.otherDocument}>
            {words.text('document.otherKind')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      <Facts
        facts={[
          ['lamp', words.text('hold.light')],
          ['document', words.text('hold.fingers')],
        ]}
      />
    </ScreenFrame>
  );
}

/** Outlines with the aspect ratios of a passport page and a card. */
const PAGE = 'M70 6h54a7 7 0 0 1 7 7v74a7 7 0 0 1-7 7H16a7 7 0 0 1-7-7V13a7 7 0 0 1 7-7z';
const CARD = 'M70 11.5h54a7 7 0 0 1 7 7v63a7 7 0 0 1-7 7H16a7 7 0 0 1-7-7v-63a7 7 0 0 1 7-7z';

const DRAWINGS = new Map<TextKey, DrawingName>([
  ['scan.closer', 'closer'],
  ['scan.farther', 'farther'],
  ['scan.edges', 'document'],
  ['scan.glare', 'sun'],
  ['scan.blur', 'lens'],
  ['guide.tooDark', 'lamp'],
  ['scan.turnOver', 'turnOver'],
]);

export function DocumentCaptureView({ screen, actions, words }: ScreenProps<DocumentCaptureScreen>) {
  const { kind, prompt, tone, progress, light } = screen;
  const drawing = tone === 'good' ? 'check' : (DRAWINGS.get(prompt) ?? kind);
  return (
    <CameraStage
      screen={screen}
      actions={actions}
      words={words}
      shape="window"
      label={words.text('accessibility.documentView')}
      outline={{ path: kind === 'passport' ? PAGE : CARD, viewBox: '0 0 140 100' }}
      share={progress.share}
      sign={[drawing, 'bottom']}
      count={sideText(progress, words)}
      side={screen.side}
      glow={light}
      buttons={
        <>
          {light && <StopColors actions={actions} words={words} />}
          <Button kind="quiet" onPress={actions.otherDocument}>
            {words.text('document.otherKind')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    />
  );
}

const PROBLEM_DRAWINGS: Readonly<Record<DocumentProblem, DrawingName>> = {
  expired: 'clock',
  unreadable: 'lens',
  check_digit: 'attention',
  no_birth_date: 'document',
  no_face: 'noFace',
  unusable_file: 'cross',
};
/** Problems that another try with the same document would not fix. */
const NEEDS_ANOTHER: ReadonlySet<DocumentProblem> = new Set(['expired', 'no_birth_date']);

export function DocumentProblemView({
  screen,
  actions,
  words,
}: ScreenProps<Extract<Screen, { name: 'document_problem' }>>) {
  const { problem } = screen;
  const tries = triesText(screen, words);
  const again = (
    <Button key="again" kind={NEEDS_ANOTHER.has(problem) ? 'secondary' : 'primary'} onPress={actions.tryDocumentAgain}>
      {words.text('action.retry')}
    </Button>
  );
  const other = (
    <Button key="other" kind={NEEDS_ANOTHER.has(problem) ? 'primary' : 'secondary'} onPress={actions.otherDocument}>
      {words.text('document.otherKind')}
    </Button>
  );
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={PROBLEM_DRAWINGS[problem]}
      buttons={
        <>
          {NEEDS_ANOTHER.has(problem) ? [other, again] : [again, other]}
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      {tries && <p class="small">{tries}</p>}
    </ScreenFrame>
  );
}
