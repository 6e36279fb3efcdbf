// Heading of every screen, and its explanation if one sentence suffices.

import type {
  Asks,
  EndKind,
  HandoffScreen,
  MyAgeKeyScreen,
  PasskeyScreen,
  Problem,
  ProofNote,
  Screen,
  WelcomeScreen,
  Work,
} from '../course/screens.ts';
import type { DocumentProblem, DocumentSide } from '../document/kinds.ts';
import type { TextKey } from '../i18n/index.ts';

type HeadingTexts = readonly [heading: TextKey, explanation: TextKey | null];
type StateOf<Name extends Screen['name'], Field extends string> =
  Extract<Screen, { name: Name }> extends infer Found
    ? Found extends Record<Field, infer Value extends string>
      ? Value
      : never
    : never;

const TITLES: Record<Asks['operation'], TextKey> = {
  AGE: 'title',
  ENROLL: 'title.enroll',
  'SIGN-IN': 'title.signIn',
  VERIFY: 'title.verify',
};

const WELCOME: Record<Asks['operation'], TextKey> = {
  AGE: 'welcome.heading',
  ENROLL: 'welcome.headingEnroll',
  'SIGN-IN': 'welcome.headingSignIn',
  VERIFY: 'welcome.headingVerify',
};

const PERMISSION: Record<StateOf<'permission', 'state'>, HeadingTexts> = {
  explain: ['permission.heading', 'permission.intro'],
  asking: ['permission.heading', 'permission.waiting'],
  refused: ['permission.refusedHeading', 'permission.refused'],
  missing: ['permission.missingHeading', 'permission.missing'],
  busy: ['permission.busyHeading', 'permission.busy'],
  insecure: ['permission.insecureHeading', 'permission.insecure'],
  unplugged: ['error.unpluggedHeading', 'error.unplugged'],
};

const PROBLEM: Record<Problem, HeadingTexts> = {
  dark: ['error.darkHeading', 'error.dark'],
  faces: ['error.facesHeading', 'error.faces'],
  scan: ['error.scanHeading', 'error.scan'],
  unplugged: ['error.unpluggedHeading', 'error.unplugged'],
  unsupported: ['error.unsupportedHeading', 'error.unsupported'],
  unexpected: ['error.unexpectedHeading', 'error.unexpected'],
  models: ['loading.failedHeading', 'loading.failed'],
  broken: ['error.unexpectedHeading', 'error.unexpected'],
  unavailable: ['error.unavailableHeading', 'error.unavailable'],
  full: ['error.unavailableHeading', 'error.unexpected'],
};

const HANDOFF: Readonly<Partial<Record<HandoffScreen['state'], TextKey>>> = {
  other_number: 'takeover.otherNumberHeading',
  declined: 'handoff.codeOldHeading',
};

const STOPPED: Record<StateOf<'stopped', 'why'>, HeadingTexts> = {
  elsewhere: ['handoff.elsewhereHeading', 'handoff.elsewhere'],
  third_device: ['handoff.thirdHeading', 'handoff.third'],
  old_code: ['handoff.codeOldHeading', 'handoff.codeOld'],
  other_number: ['takeover.otherNumberHeading', 'takeover.otherNumber'],
  not_mine: ['takeover.declinedHeading', 'takeover.declined'],
};

const END: Record<EndKind, HeadingTexts> = {
  done: ['end.doneHeading', 'end.done'],
  cancelled: ['end.cancelledHeading', 'end.cancelled'],
  expired: ['end.expiredHeading', 'end.expired'],
  not_found: ['end.notFoundHeading', 'end.notFound'],
  failed: ['end.failedHeading', 'end.failed'],
  unlikely: ['end.failedHeading', 'end.unlikely'],
  unread: ['end.unreadHeading', 'end.unread'],
  other_face: ['end.failedHeading', 'end.otherFace'],
  enrolled: ['end.enrolledHeading', 'end.enrolled'],
  signed_in: ['end.signedInHeading', 'end.signedIn'],
  verified: ['end.verifiedHeading', 'end.verified'],
  not_recognized: ['end.notRecognizedHeading', 'end.notRecognized'],
  throttled: ['wait.heading', 'wait.explain'],
  passkey_refused: ['end.passkeyHeading', 'end.failed'],
  cancelled_enrolment: ['end.cancelledHeading', 'end.cancelledFace'],
  cancelled_sign_in: ['end.cancelledHeading', 'end.cancelledSignIn'],
  hand_back: ['return.lastHeading', 'return.show'],
  not_handed_back: ['return.spentHeading', 'return.spent'],
  key_deleted: ['end.doneHeading', 'mine.deleted'],
  key_not_known: ['mine.heading', 'mine.notKnown'],
};

const HOLD: Record<DocumentSide, HeadingTexts> = {
  data: ['hold.dataHeading', 'hold.data'],
  portrait: ['hold.portraitHeading', 'hold.portrait'],
  zone: ['hold.zoneHeading', 'hold.zone'],
  barcode: ['hold.barcodeHeading', 'hold.barcode'],
};

const DOCUMENT_PROBLEM: Record<DocumentProblem, HeadingTexts> = {
  expired: ['problem.expiredHeading', 'problem.expired'],
  unreadable: ['problem.unreadableHeading', 'problem.unreadable'],
  check_digit: ['problem.checkDigitHeading', 'problem.checkDigit'],
  no_birth_date: ['problem.noBirthDateHeading', 'problem.noBirthDate'],
  no_face: ['problem.noFaceHeading', 'problem.noFace'],
  unusable_file: ['problem.fileHeading', 'problem.file'],
};

const WORKING: Record<Work, TextKey> = {
  estimating: 'working.estimating',
  looking: 'working.looking',
  reading: 'working.reading',
  encrypting: 'working.encrypting',
  matching: 'working.matching',
  passkey: 'working.passkey',
  wallet: 'working.wallet',
  sending: 'working.sending',
};

const PASSKEY: Record<Exclude<PasskeyScreen['state'], 'explain' | 'asking'>, HeadingTexts> = {
  closed: ['passkey.failedHeading', 'passkey.closed'],
  refused: ['passkey.failedHeading', 'passkey.refused'],
  unsupported: ['passkey.unsupportedHeading', 'passkey.unsupported'],
};

export const PROOF_NOTES: Record<ProofNote, TextKey> = {
  failed: 'proof.failed',
  not_known: 'proof.notKnown',
  not_enough: 'proof.notEnough',
  too_often: 'proof.tooOften',
  declined: 'proof.declined',
  not_trusted: 'proof.notTrusted',
  ended: 'proof.ended',
  timed_out: 'proof.timedOut',
  press_again: 'proof.pressAgain',
  no_tries: 'proof.noTries',
};

const MY_AGE_KEY: Record<MyAgeKeyScreen['state'], TextKey> = {
  explain: 'mine.explain',
  asking: 'permission.waiting',
  failed: 'passkey.closed',
  unsupported: 'passkey.unsupported',
};

export function getTitle(asks: Asks | null): TextKey {
  return TITLES[asks?.operation ?? 'AGE'];
}

export function getHeading(screen: Screen): TextKey {
  return find(screen)[0];
}

export function getExplanation(screen: Screen): TextKey | null {
  return find(screen)[1];
}

function find(screen: Screen): HeadingTexts {
  switch (screen.name) {
    case 'opening':
      return ['title', null];
    case 'welcome':
      return [WELCOME[screen.operation], getNotice(screen)];
    case 'permission':
      return PERMISSION[screen.state];
    case 'loading':
      return ['loading.heading', null];
    case 'capture':
      return ['guide.heading', null];
    case 'working':
      return ['working.heading', WORKING[screen.doing]];
    case 'problem':
      return PROBLEM[screen.problem];
    case 'handoff':
      return [HANDOFF[screen.state] ?? 'handoff.heading', null];
    case 'wallet_link':
      return ['proof.walletButton', screen.opensHere ? null : 'link.scan'];
    case 'take_over':
      return ['takeover.heading', 'takeover.warning'];
    case 'return_code':
      return ['return.heading', 'return.explain'];
    case 'stopped':
      return STOPPED[screen.why];
    case 'document':
      return ['document.heading', screen.isStepUp ? 'document.stepUp' : 'document.intro'];
    case 'document_hold':
      return HOLD[screen.side];
    case 'document_capture':
      return ['scan.heading', null];
    case 'document_problem':
      return DOCUMENT_PROBLEM[screen.problem];
    case 'not_recognized':
      return screen.isEnrolment ? PROBLEM.scan : ['recognise.heading', 'recognise.explain'];
    case 'wait':
      return ['wait.heading', 'wait.explain'];
    case 'contact':
      return ['contact.heading', 'contact.intro'];
    case 'passkey':
      return explainPasskey(screen);
    case 'my_age_key':
      return ['mine.heading', MY_AGE_KEY[screen.state]];
    case 'end':
      return END[screen.how];
  }
}

function getNotice({ memory, note }: WelcomeScreen): TextKey | null {
  if (note) return PROOF_NOTES[note];
  return memory === 'forgotten' ? 'forget.done' : null;
}

function explainPasskey({ operation, state }: PasskeyScreen): HeadingTexts {
  if (state !== 'explain' && state !== 'asking') return PASSKEY[state];
  const heading = operation === 'register' ? 'passkey.makeHeading' : 'passkey.useHeading';
  if (state === 'asking') return [heading, 'permission.waiting'];
  return [heading, operation === 'register' ? 'passkey.make' : 'passkey.use'];
}
