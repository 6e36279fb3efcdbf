// Something is in the way, and the ways on.
import type { Problem, Screen } from '../../course/screens.ts';
import type { DrawingName } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
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
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
    </ScreenFrame>
  );
}
