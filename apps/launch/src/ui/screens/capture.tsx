// The camera's picture in an oval, what to do now, and how far it is.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { CaptureScreen } from '../../flow/screens.ts';
import { progressText } from '../announce.ts';
import { Drawing } from '../drawings/drawing.tsx';
import { headingOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';
import { drawingOf } from './prompts.ts';

/** An ellipse that begins at the top, so that the ring fills from there. */
const RING = 'M50 2a48 62 0 0 1 0 124a48 62 0 0 1 0-124z';

export function CaptureView({ screen, actions, words }: ScreenProps<CaptureScreen>) {
  const { prompt, tone, progress, paused } = screen;
  const video = useRef<HTMLVideoElement>(null);
  useLayoutEffect(() => {
    actions.attachVideo(video.current);
    return () => actions.attachVideo(null);
  }, []);
  const [drawing, side] = drawingOf(screen);
  return (
    <main id="content" class="screen capture" data-screen="capture" data-prompt={prompt} data-tone={tone}>
      <h1 tabIndex={-1}>{words.text(headingOf(screen))}</h1>
      <div class="stage">
        <div class="oval">
          <video
            ref={video}
            muted
            playsInline
            autoPlay
            disablePictureInPicture
            aria-label={words.text('accessibility.cameraView')}
          />
        </div>
        <Ring share={progress?.share ?? 0} />
        <div class={`sign ${side}`}>
          <Drawing key={drawing} name={drawing} />
        </div>
      </div>
      <div class="asked">
        {paused && <p class="notice">{words.text('error.hidden')}</p>}
        <p class="prompt">{words.text(prompt)}</p>
        <p class="count">{progress && progressText(progress, words)}</p>
      </div>
      <div class="buttons">
        <Button kind="quiet" onPress={actions.askToCancel}>
          {words.text('action.cancel')}
        </Button>
      </div>
    </main>
  );
}

function Ring({ share }: { share: number }) {
  return (
    <svg class="ring" viewBox="0 0 100 128" aria-hidden="true" focusable="false">
      <path class="track" d={RING} />
      {share > 0 && (
        <path class="filled" d={RING} pathLength={100} stroke-dasharray={`${Math.round(share * 100)} 200`} />
      )}
    </svg>
  );
}
