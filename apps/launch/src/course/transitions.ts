// What may happen on each screen, and where it leads: the page as a table. Pure; docs/launch-page.md draws it.
import type { Actions, Dialog, PageState, Screen } from './screens.ts';

export type ScreenName = Screen['name'];
export type ActionName = keyof Actions;
type ScreenOf<Name extends ScreenName> = Extract<Screen, { name: Name }>;

/** Where it can lead; none: the screen stays, and a dialog opens or something on it changes. */
type Ways = readonly ScreenName[];

interface Stop<Name extends ScreenName> {
  /** Where it goes without anybody's doing: a frame, an answer or the clock decides. */
  alone: Ways;
  actions: Partial<Record<ActionName, Ways>>;
  /** Actions that are there only while the screen says so. */
  only?: Partial<Record<ActionName, (screen: ScreenOf<Name>) => boolean>>;
}

const STAYS = [] as const satisfies Ways;

/** Several places by one name, because they always come together. */
export const GROUPS = {
  /** Where a check goes on: with the step that is due, or with what stands in its way. */
  on: ['loading', 'permission', 'document', 'passkey', 'contact', 'working', 'problem', 'stopped', 'end'],
  /** Where the service sends whoever looks at a session. */
  look: ['welcome', 'take_over', 'handoff', 'return_code', 'stopped', 'problem', 'end'],
  /** What anything can end in: the session is over or somewhere else, or the network or a model is not there. */
  off: ['end', 'stopped', 'handoff', 'return_code', 'take_over', 'welcome', 'problem', 'working', 'loading'],
  /** The way to the phone. */
  phone: ['handoff', 'problem', 'stopped', 'working', 'end'],
} as const satisfies Record<string, Ways>;
const { on: ON, look: LOOK, off: OFF, phone: PHONE } = GROUPS;

/** A question to a wallet or a passkey may stay open for minutes: another way ends it. Its own button does nothing meanwhile. */
function isFree({ busy, proving }: ScreenOf<'welcome'>): boolean {
  return !busy || proving !== null;
}

export const COURSE = {
  opening: { alone: [...LOOK, 'working', 'my_age_key'], actions: {} },
  welcome: {
    alone: OFF,
    actions: {
      start: [...ON, 'capture', 'handoff'],
      useProof: ['welcome', 'working', 'wallet_link', 'problem', 'stopped', 'end'],
      linkWallet: ['welcome', 'working', 'wallet_link', 'problem', 'stopped', 'end'],
      usePhone: PHONE,
      leaveOutColours: STAYS,
      askToForget: STAYS,
      askToCancel: STAYS,
    },
    only: {
      start: (screen) => isFree(screen) && screen.steps.length > 0,
      useProof: isFree,
      linkWallet: (screen) => isFree(screen) && screen.canLinkWallet,
      usePhone: isFree,
      leaveOutColours: ({ busy, colours }) => !busy && colours !== null,
    },
  },
  loading: {
    alone: [...OFF, 'permission', 'capture', 'document', 'document_capture'],
    actions: { askToCancel: STAYS },
  },
  permission: {
    alone: [...OFF, 'capture', 'document_capture'],
    actions: {
      askForCamera: ['capture', 'document_capture', 'loading', 'problem', 'working', 'stopped', 'end'],
      useDocumentFile: ['working'],
      retry: [...ON, 'welcome', 'take_over', 'handoff', 'capture'],
      usePhone: PHONE,
      askToCancel: STAYS,
    },
    only: { askForCamera: ({ state }) => state !== 'asking' },
  },
  capture: {
    alone: [...OFF, 'permission'],
    actions: { stopColours: STAYS, askToCancel: STAYS },
    only: { stopColours: ({ light }) => light !== undefined },
  },
  working: {
    alone: [...ON, ...OFF, 'capture', 'wallet_link', 'document_problem', 'not_recognized', 'wait'],
    actions: { askToCancel: STAYS },
  },
  problem: {
    alone: OFF,
    actions: { retry: [...ON, ...LOOK, 'capture'], usePhone: PHONE, askToCancel: STAYS },
  },
  handoff: {
    alone: OFF,
    actions: { renewCode: ['problem', 'stopped', 'end'], goBack: ['welcome'], askToCancel: STAYS },
  },
  wallet_link: { alone: OFF, actions: { chooseProfile: STAYS, goBack: ['welcome'], askToCancel: STAYS } },
  take_over: {
    alone: OFF,
    actions: { chooseNumber: [...ON, 'capture', 'welcome'] },
    only: { chooseNumber: ({ busy }) => !busy },
  },
  return_code: { alone: OFF, actions: { giveReturnCode: ['end', 'problem', 'working'] } },
  stopped: { alone: OFF, actions: { retry: [...ON, ...LOOK, 'capture'] } },
  document: { alone: OFF, actions: { chooseDocument: ['document_hold'], usePhone: PHONE, askToCancel: STAYS } },
  document_hold: {
    alone: OFF,
    actions: {
      scanDocument: ['document_capture', 'permission', 'loading', 'problem'],
      useDocumentFile: ['working'],
      otherDocument: ['document'],
      usePhone: PHONE,
      askToCancel: STAYS,
    },
  },
  document_capture: {
    alone: [...OFF, 'document_problem', 'permission', 'passkey', 'contact'],
    actions: { stopColours: STAYS, otherDocument: ['document'], askToCancel: STAYS },
    only: { stopColours: ({ light }) => light !== undefined },
  },
  document_problem: {
    alone: OFF,
    actions: { tryDocumentAgain: ['document_hold'], otherDocument: ['document'], askToCancel: STAYS },
  },
  not_recognized: { alone: OFF, actions: { showFaceAgain: ON, askToCancel: STAYS } },
  wait: { alone: OFF, actions: { showFaceAgain: ON, askToCancel: STAYS } },
  passkey: { alone: OFF, actions: { usePasskey: ['working', 'passkey'], usePhone: PHONE, askToCancel: STAYS } },
  contact: { alone: OFF, actions: { giveContact: ON, usePhone: PHONE, askToCancel: STAYS } },
  my_age_key: {
    alone: STAYS,
    actions: { deleteAgeKey: ['end'] },
    only: { deleteAgeKey: ({ state }) => state !== 'asking' && state !== 'unsupported' },
  },
  end: {
    alone: STAYS,
    actions: { goOn: STAYS, keepAge: STAYS },
    only: { keepAge: ({ keep }) => keep?.state === 'offered' || keep?.state === 'failed' },
  },
} as const satisfies { [Name in ScreenName]: Stop<Name> };

/** What can be done in a dialog. Whatever is behind it has to wait. */
export const DIALOGS = {
  cancel: { confirmCancel: ['working'], closeDialog: STAYS },
  privacy: { closeDialog: STAYS },
  forget: { confirmForget: STAYS, closeDialog: STAYS },
} as const satisfies Record<Dialog, Partial<Record<ActionName, Ways>>>;

/** What is there on every screen, dialog or not. */
const ANYWHERE = ['attachVideo'] as const satisfies readonly ActionName[];
/** And without one. */
const EVERYWHERE = ['showPrivacy'] as const satisfies readonly ActionName[];

type KeysOf<Table> = Table extends unknown ? keyof Table : never;
type Listed =
  | KeysOf<(typeof COURSE)[ScreenName]['actions']>
  | KeysOf<(typeof DIALOGS)[Dialog]>
  | (typeof ANYWHERE)[number]
  | (typeof EVERYWHERE)[number];
/** An action that no screen and no dialog has does not compile. */
const everyActionIsListed: [Exclude<ActionName, Listed>] extends [never] ? true : Exclude<ActionName, Listed> = true;
void everyActionIsListed;

export function mayDo({ screen, dialog }: Pick<PageState, 'screen' | 'dialog'>, action: ActionName): boolean {
  if (includes(ANYWHERE, action)) return true;
  if (dialog) return action in DIALOGS[dialog];
  if (includes(EVERYWHERE, action)) return true;
  const { actions, only = {} }: Stop<never> = COURSE[screen.name];
  return action in actions && (only[action]?.(screen as never) ?? true);
}

/** Whether one screen can come after another, in whichever way. */
export function mayFollow(before: ScreenName, after: ScreenName): boolean {
  const { alone, actions }: Stop<never> = COURSE[before];
  const confirmed = 'askToCancel' in actions ? Object.values(DIALOGS.cancel) : [];
  return before === after || [alone, ...Object.values(actions), ...confirmed].some((names) => includes(names, after));
}

/** The same actions, of which those that the screen does not have do nothing. */
export function guardActions(actions: Actions, stateOf: () => PageState): Actions {
  const guarded = Object.entries<(...given: never[]) => void>({ ...actions }).map(([name, act]) => [
    name,
    (...given: never[]) => {
      if (mayDo(stateOf(), name as ActionName)) act(...given);
    },
  ]);
  return Object.fromEntries(guarded);
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
