// Screens of problems: a failure, a device without access, and an unrecognized face.
import type { Problem, Screen } from '../../course/screens.ts';
import { triesText } from '../announce.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { getExplanation } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

const PROBLEM_DRAWINGS: Record<Problem, DrawingName> = {
  dark: 'lamp',
  faces: 'severalFaces',
  scan: 'noFace',
  unplugged: 'cameraOff',
  unsupported: 'browser',
  unexpected: 'attention',
  models: 'offline',
  broken: 'attention',
  unavailable: 'clock',
  full: 'clock',
};

export function ProblemView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'problem' }>>) {
  const { problem, canRetry, canUsePhone, canCancel = true } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={PROBLEM_DRAWINGS[problem]}
      buttons={
        <>
          {canRetry && (
            <Button kind="primary" onPress={actions.retry}>
              {words.text('action.retry')}
            </Button>
          )}
          {canUsePhone && <OtherDeviceButton actions={actions} words={words} isMain={!canRetry} />}
          {canCancel && <CancelButton actions={actions} words={words} />}
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
    </ScreenFrame>
  );
}

type StoppedScreen = Extract<Screen, { name: 'stopped' }>;

const STOPPED_DRAWINGS: Record<StoppedScreen['why'], DrawingName> = {
  elsewhere: 'devices',
  third_device: 'devices',
  old_code: 'clock',
  other_number: 'attention',
  not_mine: 'check',
};

export function StoppedView({ screen, words }: ScreenProps<StoppedScreen>) {
  return (
    <ScreenFrame screen={screen} words={words} drawing={STOPPED_DRAWINGS[screen.why]}>
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
    </ScreenFrame>
  );
}

type NotRecognizedProps = ScreenProps<Extract<Screen, { name: 'not_recognized' }>>;

export function NotRecognizedView({ screen, actions, words }: NotRecognizedProps) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing="noFace"
      buttons={
        <>
          <Button kind="primary" onPress={actions.showFaceAgain}>
            {words.text('action.retry')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      <p class="small">{triesText(screen, words)}</p>
    </ScreenFrame>
  );
}
