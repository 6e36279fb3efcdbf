// What the page can show, as data, and what a person can do there.

import type { ContactField, Proof } from '@limen/plan';
import type { DeviceView, PlanStep } from '@limen/sdk/device';
import type { DocumentKind, DocumentProblem, DocumentSide } from '../document/kinds.ts';
import type { TextKey } from '../i18n/index.ts';

export type StepName = PlanStep['step'];
/** What the session is for, and what it asks of the person. */
export type Asks = DeviceView['asks'];

export type Screen =
  | { name: 'opening' }
  | WelcomeScreen
  | PermissionScreen
  /**
   * `share` of the bytes, 0 to 1; null while things start up. `unready`: the service has no models to give yet. `of` is
   * the step that they are for, the face if it does not say.
   */
  | { name: 'loading'; share: number | null; unready?: boolean; of?: StepName }
  | CaptureScreen
  /** `canCancel` here and below: false where there is nothing to cancel, or it is being done. */
  | { name: 'working'; doing: Work; offline: boolean; canCancel?: boolean }
  | { name: 'problem'; problem: Problem; canRetry: boolean; canUsePhone: boolean; canCancel?: boolean }
  | HandoffScreen
  | WalletLinkScreen
  | TakeOverScreen
  | ReturnCodeScreen
  | { name: 'stopped'; why: 'elsewhere' | 'third_device' | 'old_code' | 'other_number' | 'not_mine' }
  /** The choice of the kind of document. `isStepUp`: the face alone was not enough. */
  | { name: 'document'; isStepUp: boolean; canUsePhone: boolean }
  /** How to hold it. `mayUseFile`: a picture will do instead of the camera. */
  | { name: 'document_hold'; kind: DocumentKind; side: DocumentSide; mayUseFile: boolean; canUsePhone: boolean }
  | DocumentCaptureScreen
  | { name: 'document_problem'; problem: DocumentProblem; triesLeft: number }
  /** The comparison found nobody; the face can be shown again. `isEnrolment`: it could not be set up. */
  | { name: 'not_recognized'; triesLeft: number; isEnrolment: boolean }
  /** Too many tries. Zero minutes: the time is over. */
  | { name: 'wait'; minutesLeft: number; isEnrolment: boolean }
  | PasskeyScreen
  | ContactScreen
  | MyAgeKeyScreen
  | EndScreen;

export interface EndScreen {
  name: 'end';
  how: EndKind;
  redirectUrl: string | null;
  /** It sits in a frame, and what is around it listens: the way back is there, with an address or without. */
  hasHost?: true;
  /** The person came back to it, and is not sent away again. */
  stays?: boolean;
  /** It sits in a frame that may not lead the window on: the address is shown, for a window of its own. */
  isHeld?: true;
  /** Of `throttled`: until there may be another try. */
  minutesLeft?: number;
  /** Of `hand_back`: what is typed on the device that began. */
  returnCode?: string;
  /** Of `done`: this device may remember it for the next time. Nobody is sent away while that is asked. */
  keep?: KeptAge;
}

export interface KeptAge {
  /** Whole years. */
  ageOver: number;
  /** `failed`: nothing came of it. */
  state: 'offered' | 'asking' | 'kept' | 'failed';
}

/** Where people delete what the service keeps for their age key; no session is behind it. */
export interface MyAgeKeyScreen {
  name: 'my_age_key';
  /** `failed`: nothing came of the browser's question, or the service was not there. */
  state: 'explain' | 'asking' | 'failed' | 'unsupported';
}

export interface PermissionScreen {
  name: 'permission';
  state: 'explain' | 'asking' | 'refused' | 'missing' | 'busy' | 'insecure' | 'unplugged';
  /** Within the document step, which waits for what the person does about it. `mayUseFile`: a picture will do. */
  document?: { mayUseFile: boolean };
  /** The host wants the check to end where it began. */
  staysHere?: true;
  /** In a frame: the host in whose name some browsers ask for the camera. */
  site?: string;
}

export interface PasskeyScreen {
  name: 'passkey';
  operation: 'register' | 'assert';
  /** `closed`: the browser's question was. `refused`: the service did not take what came of it. */
  state: 'explain' | 'asking' | 'closed' | 'refused' | 'unsupported';
  canUsePhone: boolean;
}

export interface ContactScreen {
  name: 'contact';
  fields: readonly ContactField[];
  /** Those whose text will not do. Another list each time. */
  faults: readonly ContactField[];
}

export interface WelcomeScreen extends Asks {
  name: 'welcome';
  minutesLeft: number;
  /** The check was begun on this device before. */
  resumes: boolean;
  /** A computer whose camera will not do: the way on is the phone, by a code where `canUsePhone`, else by the link. */
  phoneOnly: boolean;
  canUsePhone: boolean;
  /** A button was pressed and the service has not answered yet. */
  busy: boolean;
  /** What of `proofs` this browser can show, fastest first. */
  ways: readonly Proof[];
  /** The browser asks wallets itself, and one can also be reached by a link. */
  canLinkWallet: boolean;
  /** The one that is being shown. */
  proving: Proof | null;
  /** Why the last one was not enough; there are other ways. */
  note: ProofNote | null;
  /** Whether this browser keeps somebody's face for sign-ins, or has just forgotten it. */
  memory: 'none' | 'somebody' | 'forgotten';
  /** Whether the screen is going to change its colour, where the service asks for that; null where it does not. */
  colours: 'shown' | 'left_out' | null;
}

/**
 * `failed`: nothing came of it, whoever is at fault. `timed_out`: nobody answered. `press_again`: the browser asks only right
 * after a press. `no_tries`: the session takes nothing else, and the service has done with it.
 */
export type ProofNote =
  | 'failed'
  | 'not_known'
  | 'not_enough'
  | 'too_often'
  | 'declined'
  | 'not_trusted'
  | 'ended'
  | 'timed_out'
  | 'press_again'
  | 'no_tries';

/** What the device or the service is busy with. */
export type Work = 'estimating' | 'looking' | 'reading' | 'encrypting' | 'matching' | 'passkey' | 'wallet' | 'sending';

/** All that is said to somebody in front of the camera; each has a drawing. */
export type CapturePrompt = Exclude<
  Extract<TextKey, `guide.${string}` | `challenge.${string}`>,
  'guide.heading' | 'challenge.progress'
>;

export interface CaptureScreen {
  name: 'capture';
  /** What to do now. */
  prompt: CapturePrompt;
  tone: 'wait' | 'fix' | 'do' | 'good';
  /** Of the challenges; `share` is 0 to 1 of all of them. */
  progress: { number: number; total: number; share: number } | null;
  /** The page was in the background. */
  paused: boolean;
  /** The colour that the screen is lit in, as CSS writes it. */
  light?: string;
}

export interface DocumentCaptureScreen {
  name: 'document_capture';
  kind: DocumentKind;
  side: DocumentSide;
  /** What to do now. */
  prompt: TextKey;
  tone: CaptureScreen['tone'];
  /** Of the sides; `share` is 0 to 1 of this one. */
  progress: { number: number; total: number; share: number };
  /** The page was in the background. */
  paused: boolean;
  /** The colour that the screen is lit in, as CSS writes it. */
  light?: string;
}

export interface HandoffScreen {
  name: 'handoff';
  reason: 'desktop' | 'chosen';
  url: string;
  /** Two digits, which the person finds again on the phone. */
  number: string;
  minutesLeft: number;
  /** `other_number`: somebody chose another one, and the code is void; `declined`: somebody does not want to, likewise. */
  state: 'code' | 'old_code' | 'other_number' | 'declined' | 'following';
  /** Where the phone is. */
  followed: 'waiting' | 'opened' | StepName;
  canGoBack: boolean;
}

/** Links that a wallet is reached by: opened here, or scanned where it is. It answers the service itself, and the page waits. */
export interface WalletLinkScreen {
  name: 'wallet_link';
  /** One for each kind of attestation that would do; at least one. */
  links: readonly { profile: string; link: string; sameDeviceLink?: string }[];
  /** The kind that the person has. */
  profile: string;
  /** This device may have the wallet: the link can be opened here. */
  opensHere: boolean;
  minutesLeft: number;
}

/** Before this device takes a check over: who began it, and which number is shown there. */
export interface TakeOverScreen {
  name: 'take_over';
  requester: string | null;
  /** Where the host takes the person afterwards. */
  redirectOrigin: string | null;
  /** As the device that began calls itself; null where it is none that the page knows. */
  browser: string | null;
  system: string | null;
  agoMs: number;
  /** One of them is shown there. */
  choices: readonly string[];
  /** One was chosen and the service has not answered yet. */
  busy: boolean;
}

/** On the device that began, after a sign-in that another one finished: the code that is shown there. */
export interface ReturnCodeScreen {
  name: 'return_code';
  triesLeft: number;
  /** `incomplete` cost no try; `wrong` did. */
  state: 'asking' | 'checking' | 'incomplete' | 'wrong';
}

/**
 * `models` did not come; `broken`: they came, and do not work. `unavailable`: the service cannot compare faces now.
 * `full`: it has no room for what is new.
 */
export type Problem =
  | 'dark'
  | 'faces'
  | 'scan'
  | 'unplugged'
  | 'unsupported'
  | 'unexpected'
  | 'models'
  | 'broken'
  | 'unavailable'
  | 'full';
/**
 * `unread`: no try with a document worked. `other_face`: it is somebody else’s, as far as a face tells. Those of
 * verification sessions are below; `throttled`: too many tries. `hand_back`: all went well, and the device that began
 * waits for a code; `not_handed_back`: that code was wrong too often. The last two are of the page for one's age key.
 */
export type EndKind =
  | 'done'
  | 'cancelled'
  | 'expired'
  | 'not_found'
  | 'failed'
  | 'unlikely'
  | 'unread'
  | 'other_face'
  | 'enrolled'
  | 'signed_in'
  | 'verified'
  | 'not_recognized'
  | 'throttled'
  | 'passkey_refused'
  | 'cancelled_enrolment'
  | 'cancelled_sign_in'
  | 'hand_back'
  | 'not_handed_back'
  | 'key_deleted'
  | 'key_not_known';
export type Dialog = 'cancel' | 'privacy' | 'forget';

/** Why a check cannot begin in the frame that it is in, though it could in a window of its own. */
export type FrameObstacle = 'covered' | 'no_camera_policy';

export interface PageState {
  screen: Screen;
  dialog: Dialog | null;
  /** Null where there is no session. */
  asks: Asks | null;
}

export type TypedContact = Readonly<Partial<Record<ContactField, string>>>;

/** What a person can do; the page calls, the flow moves on. */
export interface Actions {
  start(): void;
  /** Shows what the person has brought, instead of the check. */
  useProof(proof: Proof): void;
  /** The same with a wallet that the browser cannot ask: by a link, or by a code for another device. */
  linkWallet(): void;
  /** Which kind of attestation is in it. */
  chooseProfile(profile: string): void;
  /** This device shall remember the outcome. */
  keepAge(): void;
  deleteAgeKey(): void;
  askForCamera(): void;
  retry(): void;
  chooseDocument(kind: DocumentKind): void;
  /** Back to the choice of the kind. */
  otherDocument(): void;
  scanDocument(): void;
  useDocumentFile(file: Blob): void;
  /** The same kind once more. */
  tryDocumentAgain(): void;
  usePhone(): void;
  renewCode(): void;
  /** The number that the other device shows, as the person says; null: none of them, or they did not begin it. */
  chooseNumber(number: string | null): void;
  /** What the person typed of the code that the phone shows. */
  giveReturnCode(typed: string): void;
  /** From the phone's code back to this device. */
  goBack(): void;
  /** To where the host wants the person next. */
  goOn(): void;
  /** After a comparison that found nobody, or a wait: shows the face once more. */
  showFaceAgain(): void;
  usePasskey(): void;
  /** What the person typed of themselves; nothing where they skip it. */
  giveContact(typed: TypedContact): void;
  /** Whether the colours are left out, as the person chooses before the camera. */
  leaveOutColours(leftOut: boolean): void;
  /** No more of them, while they are shown. */
  stopColours(): void;
  askToForget(): void;
  confirmForget(): void;
  askToCancel(): void;
  confirmCancel(): void;
  showPrivacy(): void;
  closeDialog(): void;
  attachVideo(video: HTMLVideoElement | null): void;
}
