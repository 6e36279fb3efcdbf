// Root component: the current screen, its dialogs, and focus management.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Actions, Asks, FrameObstacle, PageState, Screen } from '../course/screens.ts';
import { directionOf, type Translator } from '../i18n/index.ts';
import { createAnnouncer, listAnnouncements } from './announce.ts';
import { getHeading, getTitle } from './headings.ts';
import { isFramed, OBSTACLE_TEXTS } from './parts/leaving-link.tsx';
import { PageDialog } from './parts/page-dialog.tsx';
import { ScreenView } from './screen-view.tsx';
import './style/index.css';

interface AppProps {
  state: PageState;
  actions: Actions;
  words: Translator;
  /** Obstacle that prevents a check in this frame. */
  obstacle?: FrameObstacle | null;
}

/** Screens on which the person is busy, or on which nothing was asked yet. */
const WITHOUT_PRIVACY: ReadonlySet<Screen['name']> = new Set(['opening', 'capture', 'document_capture', 'working']);

export function App({ state: { screen, dialog, asks }, actions, words, obstacle = null }: AppProps) {
  const inTheWay = screen.name === 'welcome' && obstacle;
  const [notice, setNotice] = useState<string | null>(null);
  useDocument(screen, asks, words);
  useLayoutEffect(() => scrollTo(0, 0), [screen.name]);
  useFocusOnHeading(screen.name);
  return (
    <div class="page" data-shows={screen.name}>
      {/* biome-ignore lint/a11y/useValidAnchor: a link for those without the script's help, too */}
      <a class="skip" href="#content" onClick={skip}>
        {words.text('accessibility.skip')}
      </a>
      <header class="head">
        <Mark />
        <span>{words.text(getTitle(asks))}</span>
      </header>
      <ScreenView key={screen.name} {...{ screen, asks, actions, words, obstacle }} onNotice={setNotice} />
      {!WITHOUT_PRIVACY.has(screen.name) && (
        <footer class="foot">
          <button type="button" class="text-button" onClick={actions.showPrivacy}>
            {words.text('accessibility.privacy')}
          </button>
        </footer>
      )}
      <PageDialog dialog={dialog} asks={asks} actions={actions} words={words} />
      <LiveRegion
        texts={[
          ...listAnnouncements(screen, words),
          ...(notice ? [notice] : []),
          ...(inTheWay ? [words.text(OBSTACLE_TEXTS[inTheWay])] : []),
        ]}
      />
    </div>
  );
}

/** The only live region of the page. */
function LiveRegion({ texts }: { texts: readonly string[] }) {
  const [shown, setShown] = useState<readonly string[]>([]);
  const [announcer] = useState(() => createAnnouncer(setShown));
  useEffect(() => announcer.say(texts), [texts.join('\n')]);
  useEffect(() => announcer.stop, []);
  return (
    <div class="unseen" role="status" aria-live="polite">
      {shown.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

function useDocument(screen: Screen, asks: Asks | null, words: Translator): void {
  const heading = words.text(getHeading(screen));
  const title = words.text(getTitle(asks));
  useLayoutEffect(() => {
    document.title = heading === title ? title : nameTab(heading, asks, words);
    document.documentElement.lang = words.tag;
    document.documentElement.dir = directionOf(words.tag);
  }, [heading, title, words]);
}

function nameTab(heading: string, asks: Asks | null, words: Translator): string {
  if (getTitle(asks) === 'title') return words.text('documentTitleStep', { step: heading });
  return `${words.text(getTitle(asks))} · ${heading}`;
}

/** Focuses the heading when the screen changes, and when the focused element was removed. */
function useFocusOnHeading(name: string): void {
  const last = useRef(name);
  const hadFocus = useRef(false);
  useEffect(() => {
    const moved = last.current !== name;
    const lost = document.activeElement === document.body && hadFocus.current;
    last.current = name;
    if ((moved || lost) && mayTakeFocus()) focusHeading();
    hadFocus.current = document.activeElement !== document.body;
  });
  useEffect(() => {
    const remember = () => {
      hadFocus.current = true;
    };
    document.addEventListener('focusin', remember);
    return () => document.removeEventListener('focusin', remember);
  }, []);
}

/** A frame does not take the focus from the embedding page. */
function mayTakeFocus(): boolean {
  return !isFramed() || document.hasFocus();
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus();
}

/** Does not set a fragment, because fragments of the address have another meaning. */
function skip(event: Event): void {
  event.preventDefault();
  focusHeading();
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <rect width="64" height="64" rx="16" />
      <path d="M19 49V29a13 13 0 0 1 26 0v20M13 49h38" />
    </svg>
  );
}
