// What most screens look like: a drawing, a heading, what there is to know, and what one can do.
import type { ComponentChildren } from 'preact';
import type { Actions, Asks, Screen } from '../../course/screens.ts';
import type { Translator } from '../../i18n/index.ts';
import { Drawing, type DrawingName } from '../drawings/drawing.tsx';
import { headingOf } from '../headings.ts';

/** What every screen gets. */
export interface ScreenProps<Shown extends Screen> {
  screen: Shown;
  /** Of the session; null without one. */
  asks: Asks | null;
  actions: Actions;
  words: Translator;
}

interface FrameProps {
  screen: Screen;
  words: Translator;
  drawing?: DrawingName;
  /** A larger one in its place. */
  picture?: ComponentChildren;
  /** Above the heading. */
  above?: ComponentChildren;
  children?: ComponentChildren;
  buttons?: ComponentChildren;
}

/** With much to read they begin at the top; the others have one sentence, in the middle, where the eye is. */
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
        <h1 tabIndex={-1}>{words.text(headingOf(screen))}</h1>
        {children}
      </div>
      {buttons && <div class="buttons">{buttons}</div>}
    </main>
  );
}
