// Shows any screen in any language, by address or from a test without a reload.
import { render } from 'preact';
import type { Actions, PageState } from '../../src/course/screens.ts';
import { loadLanguage } from '../../src/i18n/index.ts';
import { App } from '../../src/ui/app.tsx';
import { loadEncoder } from '../../src/ui/parts/link-code.tsx';
import { FIXTURES } from './fixtures.ts';
import { standIn, standInCard } from './stand-in.ts';

interface Gallery {
  fixtures: string[];
  /** Returns one fixture per structure; the others differ only in words and drawings. */
  findKinds(): Promise<string[]>;
  /** Returns fixtures that cover every element with its classes and its parent's. */
  findCover(fixtures: readonly string[]): Promise<string[]>;
  /** Resolves after the render, but before effects that follow a paint, such as focus. */
  show(fixture: string, language: string): Promise<void>;
  /** Resolves after the effects that follow a paint. */
  settle(): Promise<void>;
  /** Called actions, in order. */
  called: string[];
}

declare global {
  interface Window {
    gallery: Gallery;
  }
}

const root = document.querySelector('#root')!;
const gallery: Gallery = { fixtures: [...FIXTURES.keys()], findKinds, findCover, show, settle, called: [] };

async function findKinds(): Promise<string[]> {
  const kinds = new Map<string, string>();
  for (const fixture of FIXTURES.keys()) {
    await show(fixture, 'en');
    const shape = describeShape(document.body);
    if (!kinds.has(shape)) kinds.set(shape, fixture);
  }
  return [...kinds.values()];
}

async function findCover(fixtures: readonly string[]): Promise<string[]> {
  const parts = new Map<string, string[]>();
  for (const fixture of fixtures) {
    await show(fixture, 'en');
    parts.set(fixture, [...document.body.querySelectorAll('*')].map(describePlace));
  }
  const seen = new Set<string>();
  // Sorted by size, so that few are needed.
  return [...parts]
    .toSorted(([, a], [, b]) => new Set(b).size - new Set(a).size)
    .filter(([, places]) => {
      const isNew = places.some((place) => !seen.has(place));
      for (const place of places) seen.add(place);
      return isNew;
    })
    .map(([fixture]) => fixture);
}

function describePlace({ tagName, classList, parentElement }: Element): string {
  return `${parentElement?.tagName}.${parentElement?.classList} ${tagName}.${classList}`;
}

/** Describes the nested elements by their classes. */
function describeShape({ tagName, classList, children }: Element): string {
  const inside = new Set(tagName === 'svg' ? [] : [...children].map(describeShape));
  return `${tagName}.${classList}(${[...inside].join()})`;
}

async function show(fixture: string, language: string): Promise<void> {
  const state = FIXTURES.get(fixture);
  if (!state) throw new Error(`There is no fixture ${fixture}`);
  draw(state, await loadLanguage(language));
}

async function settle(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/** Dialogs open and close as in the page. Other actions are only recorded. */
function draw(state: PageState, words: Awaited<ReturnType<typeof loadLanguage>>): void {
  const note = (name: string) => () => void gallery.called.push(name);
  const actions: Actions = {
    start: note('start'),
    useProof: (proof) => void gallery.called.push(`useProof ${proof}`),
    linkWallet: note('linkWallet'),
    chooseProfile: (profile) => void gallery.called.push(`chooseProfile ${profile}`),
    keepAge: note('keepAge'),
    deleteAgeKey: note('deleteAgeKey'),
    askForCamera: note('askForCamera'),
    retry: note('retry'),
    chooseDocument: (kind) => void gallery.called.push(`chooseDocument ${kind}`),
    otherDocument: note('otherDocument'),
    scanDocument: note('scanDocument'),
    useDocumentFile: (file) => void gallery.called.push(`useDocumentFile ${file.size}`),
    tryDocumentAgain: note('tryDocumentAgain'),
    usePhone: note('usePhone'),
    renewCode: note('renewCode'),
    chooseNumber: (number) => void gallery.called.push(`chooseNumber ${number}`),
    giveReturnCode: (typed) => void gallery.called.push(`giveReturnCode ${typed}`),
    goBack: note('goBack'),
    goOn: note('goOn'),
    leaveOutColours: (leftOut) => void gallery.called.push(`leaveOutColours ${leftOut}`),
    stopColours: note('stopColours'),
    showFaceAgain: note('showFaceAgain'),
    usePasskey: note('usePasskey'),
    giveContact: (typed) => void gallery.called.push(`giveContact ${JSON.stringify(typed)}`),
    askToForget: () => draw({ ...state, dialog: 'forget' }, words),
    confirmForget: note('confirmForget'),
    askToCancel: () => draw({ ...state, dialog: 'cancel' }, words),
    confirmCancel: note('confirmCancel'),
    showPrivacy: () => draw({ ...state, dialog: 'privacy' }, words),
    closeDialog: () => draw({ ...state, dialog: null }, words),
    attachVideo: (video) => video && (state.screen.name === 'document_capture' ? standInCard(video) : standIn(video)),
  };
  render(<App state={state} actions={actions} words={words} />, root);
}

// Screenshots must include the QR code.
await loadEncoder();
const wanted = new URLSearchParams(location.search);
await show(wanted.get('screen') ?? 'welcome', wanted.get('lang') ?? 'en');
// Set last, or the first screen could overwrite what a test shows.
window.gallery = gallery;
