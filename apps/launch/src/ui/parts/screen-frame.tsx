// Layout of most screens: a drawing, a heading, content and buttons.
import type { ComponentChildren } from 'preact';
import type { Actions, Asks, Screen } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';
import { getHeading } from '../headings.ts';

export interface ScreenProps<Shown extends Screen> {
  screen: Shown;
  /** Request of the session; null without one. */
  asks: Asks | null;
  actions: Actions;
  words: Translator;
}

interface FrameProps {
  screen: Screen;
  words: Translator;
  drawing?: DrawingName;
  /** Larger replacement for the drawing. */
  picture?: ComponentChildren;
  above?: ComponentChildren;
  children?: ComponentChildren;
  buttons?: ComponentChildren;
}

/** Screens with much text start at the top. All others are centered. */
const LONG: ReadonlySet<Screen['name']> = new Set([
  ...(['welcome', 'handoff', 'wallet_link', 'take_over', 'document', 'document_hold', 'contact'] as const),
]);

export function ScreenFrame({ screen, words, drawing, picture, above, children, buttons }: FrameProps) {
  return (
    <main id="content" class={LONG.has(screen.name) ? 'screen' : 'screen short'} data-screen={screen.name}>
      {drawing && (
        <div class="picture">
          <Drawing name={drawing} />
        </div>
      )}
      {picture && <div class="illustration">{picture}</div>}
      <div class="text">
        {above}
        <h1 tabIndex={-1}>{words.text(getHeading(screen))}</h1>
        {children}
      </div>
      {buttons && <div class="buttons">{buttons}</div>}
    </main>
  );
}
