// The camera's picture with a frame for the document, what to do now, and how far it is.
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { DocumentCaptureScreen } from '../../flow/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { sideText } from '../announce.ts';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';
import { headingOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import type { ScreenProps } from '../parts/screen-frame.tsx';

/** Begin at the top, so that they fill from there. As wide as a passport's page and a card are for their height. */
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
  const { kind, prompt, tone, progress, paused } = screen;
  const video = useRef<HTMLVideoElement>(null);
  useLayoutEffect(() => {
    actions.attachVideo(video.current);
    return () => actions.attachVideo(null);
  }, []);
  const outline = kind === 'passport' ? PAGE : CARD;
  const drawing = tone === 'good' ? 'check' : (DRAWINGS.get(prompt) ?? kind);
  return (
    <main
      id="content"
      class="screen capture scan"
      data-screen="document_capture"
      data-prompt={prompt}
      data-tone={tone}
      data-side={screen.side}
    >
      <h1 tabIndex={-1}>{words.text(headingOf(screen))}</h1>
      <div class="stage">
        <div class="window">
          <video
            ref={video}
            muted
            playsInline
            autoPlay
            disablePictureInPicture
            aria-label={words.text('accessibility.documentView')}
          />
        </div>
        <svg class="ring" viewBox="0 0 140 100" aria-hidden="true" focusable="false">
          <path class="track" d={outline} />
          {progress.share > 0 && (
            <path
              class="filled"
              d={outline}
              pathLength={100}
              stroke-dasharray={`${Math.round(progress.share * 100)} 200`}
            />
          )}
        </svg>
        <div class="sign bottom">
          <Drawing key={drawing} name={drawing} />
        </div>
      </div>
      <div class="asked">
        {paused && <p class="notice">{words.text('error.hidden')}</p>}
        <p class="prompt">{words.text(prompt)}</p>
        <p class="count">{sideText(progress, words)}</p>
      </div>
      <div class="buttons">
        <Button kind="quiet" onPress={actions.otherDocument}>
          {words.text('document.otherKind')}
        </Button>
        <Button kind="quiet" onPress={actions.askToCancel}>
          {words.text('action.cancel')}
        </Button>
      </div>
    </main>
  );
}
