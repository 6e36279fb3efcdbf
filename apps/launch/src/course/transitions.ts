// Transition table of the page: the actions of each screen and where they lead. Pure;
// docs/launch-page.md draws it.
import type { Actions, Dialog, PageState, Screen } from './screens.ts';

export type ScreenName = Screen['name'];
export type ActionName = keyof Actions;
type ScreenOf<Name extends ScreenName> = Extract<Screen, { name: Name }>;

/** Screens that can follow. Empty: the screen stays and opens a dialog or changes in place. */
type ScreenTargets = readonly ScreenName[];

interface ScreenRules<Name extends ScreenName> {
  /** Targets reached without an action: by a camera frame, a reply or a timer. */
  alone: ScreenTargets;
  actions: Partial<Record<ActionName, ScreenTargets>>;
  /** Conditions under which an action is available. */
  only?: Partial<Record<ActionName, (screen: ScreenOf<Name>) => boolean>>;
}

const STAYS = [] as const satisfies ScreenTargets;

/** Named groups of targets that always occur together. */
export const GROUPS = {
  /** Targets when the check continues: the step that is due, or an obstacle. */
  on: ['loading', 'permission', 'document', 'passkey', 'contact', 'working', 'problem', 'stopped', 'end'],
  /** Targets after the service has reported the session's state. */
  look: ['welcome', 'take_over', 'handoff', 'return_code', 'stopped', 'problem', 'end'],
  /** Targets possible at any time: the session ended or moved, or something is missing. */
  off: ['end', 'stopped', 'handoff', 'return_code', 'take_over', 'welcome', 'problem', 'working', 'loading'],
  /** Targets on the way to the phone. */
  phone: ['handoff', 'problem', 'stopped', 'working', 'end'],
} as const satisfies Record<string, ScreenTargets>;
const { on: ON, look: LOOK, off: OFF, phone: PHONE } = GROUPS;

/** A prompt may stay open for minutes. Its own button does nothing; other actions end it. */
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
      leaveOutColours: ({ busy, colours: colors }) => !busy && colors !== null,
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
} as const satisfies { [Name in ScreenName]: ScreenRules<Name> };

/** Actions of each dialog. They block the screen below. */
export const DIALOGS = {
  cancel: { confirmCancel: ['working'], closeDialog: STAYS },
  privacy: { closeDialog: STAYS },
  forget: { confirmForget: STAYS, closeDialog: STAYS },
} as const satisfies Record<Dialog, Partial<Record<ActionName, ScreenTargets>>>;

/** Actions that are always available. */
const ANYWHERE = ['attachVideo'] as const satisfies readonly ActionName[];
/** Actions that are available unless a dialog is open. */
const EVERYWHERE = ['showPrivacy'] as const satisfies readonly ActionName[];

type KeysOf<Table> = Table extends unknown ? keyof Table : never;
type ListedAction =
  | KeysOf<(typeof COURSE)[ScreenName]['actions']>
  | KeysOf<(typeof DIALOGS)[Dialog]>
  | (typeof ANYWHERE)[number]
  | (typeof EVERYWHERE)[number];
/** Fails to compile if an action is on no screen and in no dialog. */
const everyActionIsListed: [Exclude<ActionName, ListedAction>] extends [never]
  ? true
  : Exclude<ActionName, ListedAction> = true;
void everyActionIsListed;

export function mayDo({ screen, dialog }: Pick<PageState, 'screen' | 'dialog'>, action: ActionName): boolean {
  if (includes(ANYWHERE, action)) return true;
  if (dialog) return action in DIALOGS[dialog];
  if (includes(EVERYWHERE, action)) return true;
  const { actions, only = {} }: ScreenRules<never> = COURSE[screen.name];
  return action in actions && (only[action]?.(screen as never) ?? true);
}

/** Returns whether a screen can follow another. */
export function mayFollow(before: ScreenName, after: ScreenName): boolean {
  const { alone, actions }: ScreenRules<never> = COURSE[before];
  const confirmed = 'askToCancel' in actions ? Object.values(DIALOGS.cancel) : [];
  return before === after || [alone, ...Object.values(actions), ...confirmed].some((names) => includes(names, after));
}

/** Wraps the actions so that those unavailable on the current screen do nothing. */
export function guardActions(actions: Actions, getState: () => PageState): Actions {
  const guarded = Object.entries<(...args: never[]) => void>({ ...actions }).map(([name, act]) => [
    name,
    (...args: never[]) => {
      if (mayDo(getState(), name as ActionName)) act(...args);
    },
  ]);
  return Object.fromEntries(guarded);
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name);
}
