// Camera preview with a filling outline, a sign next to it and the prompt below, for faces and
// documents.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Actions, CaptureScreen, DocumentCaptureScreen } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';
import { getHeading } from '../headings.ts';

interface CameraStageProps {
  screen: CaptureScreen | DocumentCaptureScreen;
  actions: Actions;
  words: Translator;
  shape: 'oval' | 'window';
  /** Accessible name of the preview. */
  label: string;
  /** Path on a grid of that size. It starts at the top, so that it fills from there. */
  outline: { path: string; viewBox: string };
  share: number;
  sign: readonly [DrawingName, side: string];
  count: string | null | false;
  side?: string;
  /** CSS color that lights the screen. */
  glow?: string | undefined;
  buttons: ComponentChildren;
}

export function CameraStage(props: CameraStageProps) {
  const { screen, words, shape, sign, count, side, glow, buttons } = props;
  const { prompt, tone, paused } = screen;
  const [drawing, where] = sign;
  return (
    <main
      id="content"
      class={shape === 'oval' ? 'screen capture' : 'screen capture scan'}
      data-screen={screen.name}
      data-prompt={prompt}
      data-tone={tone}
      data-side={side}
      data-glow={glow}
    >
      {glow && <div class="glow" style={{ backgroundColor: glow }} />}
      <h1 tabIndex={-1}>{words.text(getHeading(screen))}</h1>
      <div class="stage">
        <div class={shape}>
          <CameraPicture {...props} />
        </div>
        <Outline {...props} />
        <div class={`sign ${where}`}>
          <Drawing key={drawing} name={drawing} />
        </div>
      </div>
      <div class="asked">
        {paused && <p class="notice">{words.text('error.hidden')}</p>}
        <p class="prompt">{words.text(prompt)}</p>
        <p class="count">{count}</p>
      </div>
      <div class="buttons">{buttons}</div>
    </main>
  );
}

function CameraPicture({ actions, label }: Pick<CameraStageProps, 'actions' | 'label'>) {
  const video = useRef<HTMLVideoElement>(null);
  useLayoutEffect(() => {
    actions.attachVideo(video.current);
    return () => actions.attachVideo(null);
  }, []);
  return <video ref={video} muted playsInline autoPlay disablePictureInPicture aria-label={label} />;
}

function Outline({ outline: { path, viewBox }, share }: Pick<CameraStageProps, 'outline' | 'share'>) {
  return (
    <svg class="ring" viewBox={viewBox} aria-hidden="true" focusable="false">
      <path class="track" d={path} />
      {share > 0 && (
        <path class="filled" d={path} pathLength={100} stroke-dasharray={`${Math.round(share * 100)} 200`} />
      )}
    </svg>
  );
}
