// The screens of the page, as data, and the actions that a person can take.

import type { ContactField, Proof } from '@limen/plan';
import type { DeviceView, PlanStep } from '@limen/sdk/device';
import type { DocumentKind, DocumentProblem, DocumentSide } from '../document/kinds.ts';
import type { TextKey } from '../i18n/index.ts';

export type StepName = PlanStep['step'];
/** Purpose of the session, and what it requires of the person. */
export type Asks = DeviceView['asks'];

export type Screen =
  | { name: 'opening' }
  | WelcomeScreen
  | PermissionScreen
  /**
   * `share` of the bytes loaded, 0 to 1; null during startup. `unready`: the service has no models
   * to serve yet. `of`: the step that needs the models; the face by default.
   */
  | { name: 'loading'; share: number | null; unready?: boolean; of?: StepName }
  | CaptureScreen
  /** `canCancel`, also below: false if nothing can be canceled, or that is in progress. */
  | { name: 'working'; doing: Work; offline: boolean; canCancel?: boolean }
  | { name: 'problem'; problem: Problem; canRetry: boolean; canUsePhone: boolean; canCancel?: boolean }
  | HandoffScreen
  | WalletLinkScreen
  | TakeOverScreen
  | ReturnCodeScreen
  | { name: 'stopped'; why: 'elsewhere' | 'third_device' | 'old_code' | 'other_number' | 'not_mine' }
  /** Choice of the document type. `isStepUp`: the face alone was not enough. */
  | { name: 'document'; isStepUp: boolean; canUsePhone: boolean }
  /** How to hold the document. `mayUseFile`: an image file is accepted too. */
  | { name: 'document_hold'; kind: DocumentKind; side: DocumentSide; mayUseFile: boolean; canUsePhone: boolean }
  | DocumentCaptureScreen
  | { name: 'document_problem'; problem: DocumentProblem; triesLeft: number }
  /** No match; the face can be shown again. `isEnrolment`: the enrollment failed instead. */
  | { name: 'not_recognized'; triesLeft: number; isEnrolment: boolean }
  /** Too many attempts. Zero minutes: the wait is over. */
  | { name: 'wait'; minutesLeft: number; isEnrolment: boolean }
  | PasskeyScreen
  | ContactScreen
  | MyAgeKeyScreen
  | EndScreen;

export interface EndScreen {
  name: 'end';
  how: EndKind;
  redirectUrl: string | null;
  /** A listening host embeds the page, so the button back is shown even without a redirect URL. */
  hasHost?: true;
  /** The person returned to this screen and is not redirected again. */
  stays?: boolean;
  /** The frame may not navigate the window, so the address is shown for opening in a new window. */
  isHeld?: true;
  /** Wait before the next attempt, for `throttled`. */
  minutesLeft?: number;
  /** Code to type on the device that started the session, for `hand_back`. */
  returnCode?: string;
  /** Offer to remember the age on this device, for `done`. Stops the automatic redirect. */
  keep?: KeptAge;
}

export interface KeptAge {
  ageOver: number;
  /** `failed`: no key was created. */
  state: 'offered' | 'asking' | 'kept' | 'failed';
}

/** Page for deleting the data kept for an age key. It has no session. */
export interface MyAgeKeyScreen {
  name: 'my_age_key';
  /** `failed`: the passkey prompt failed, or the service was unreachable. */
  state: 'explain' | 'asking' | 'failed' | 'unsupported';
}

export interface PermissionScreen {
  name: 'permission';
  state: 'explain' | 'asking' | 'refused' | 'missing' | 'busy' | 'insecure' | 'unplugged';
  /** Set within the document step. `mayUseFile`: an image file is accepted. */
  document?: { mayUseFile: boolean };
  /** The host requires the check to end on the device that started it. */
  staysHere?: true;
  /** In a frame: the host that some browsers name in their camera prompt. */
  site?: string;
}

export interface PasskeyScreen {
  name: 'passkey';
  operation: 'register' | 'assert';
  /** `closed`: the prompt was closed. `refused`: the service rejected the response. */
  state: 'explain' | 'asking' | 'closed' | 'refused' | 'unsupported';
  canUsePhone: boolean;
}

export interface ContactScreen {
  name: 'contact';
  fields: readonly ContactField[];
  /** Fields with invalid text. A new array after each submission. */
  faults: readonly ContactField[];
}

export interface WelcomeScreen extends Asks {
  name: 'welcome';
  minutesLeft: number;
  /** The check was started on this device before. */
  resumes: boolean;
  /** This computer's camera may not be used. Phone by code if `canUsePhone`, else by link. */
  phoneOnly: boolean;
  canUsePhone: boolean;
  /** A button was pressed and the service has not answered yet. */
  busy: boolean;
  /** Proofs that this browser can present, fastest first. */
  ways: readonly Proof[];
  /** Whether a wallet can be reached by a link although the browser can also ask wallets itself. */
  canLinkWallet: boolean;
  /** Proof that is being presented. */
  proving: Proof | null;
  /** Why the last proof was not accepted. */
  note: ProofNote | null;
  /** Whether this browser stores a face for sign-in, or has just deleted it. */
  memory: 'none' | 'somebody' | 'forgotten';
  /** Whether the screen will change its color; null if the service does not ask for that. */
  colours: 'shown' | 'left_out' | null;
}

/**
 * `failed`: any other failure. `timed_out`: no answer. `press_again`: the browser only prompts
 * right after a press. `no_tries`: the session accepts nothing else, and its tries are used up.
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

/** Work of the device or the service that the person waits for. */
export type Work = 'estimating' | 'looking' | 'reading' | 'encrypting' | 'matching' | 'passkey' | 'wallet' | 'sending';

/** Prompts in front of the camera. Each has a drawing. */
export type CapturePrompt = Exclude<
  Extract<TextKey, `guide.${string}` | `challenge.${string}`>,
  'guide.heading' | 'challenge.progress'
>;

export interface CaptureScreen {
  name: 'capture';
  prompt: CapturePrompt;
  tone: 'wait' | 'fix' | 'do' | 'good';
  /** Position among the challenges. `share`: 0 to 1 of all of them. */
  progress: { number: number; total: number; share: number } | null;
  /** The page was in the background. */
  paused: boolean;
  /** CSS color that lights the screen. */
  light?: string;
}

export interface DocumentCaptureScreen {
  name: 'document_capture';
  kind: DocumentKind;
  side: DocumentSide;
  prompt: TextKey;
  tone: CaptureScreen['tone'];
  progress: { number: number; total: number; share: number };
  paused: boolean;
  light?: string;
}

export interface HandoffScreen {
  name: 'handoff';
  reason: 'desktop' | 'chosen';
  url: string;
  /** Two digits that the person must find again on the phone. */
  number: string;
  minutesLeft: number;
  /**
   * `other_number`: a wrong number was chosen, and the code is void. `declined`: the person on the
   * phone refused, and the code is void.
   */
  state: 'code' | 'old_code' | 'other_number' | 'declined' | 'following';
  /** Progress of the phone. */
  followed: 'waiting' | 'opened' | StepName;
  canGoBack: boolean;
}

/** Links for a wallet here or on another device, which answers the service. */
export interface WalletLinkScreen {
  name: 'wallet_link';
  /** One link for each accepted kind of attestation. Never empty. */
  links: readonly { profile: string; link: string; sameDeviceLink?: string }[];
  profile: string;
  /** Whether the link can be opened on this device. */
  opensHere: boolean;
  minutesLeft: number;
}

/** Confirmation before this device takes a check over. */
export interface TakeOverScreen {
  name: 'take_over';
  requester: string | null;
  /** Origin of the host's redirect URL. */
  redirectOrigin: string | null;
  /** Browser of the device that started, as it reported itself; null if unknown. */
  browser: string | null;
  system: string | null;
  agoMs: number;
  /** Candidate numbers. The other device shows one of them. */
  choices: readonly string[];
  /** A number was chosen and the service has not answered yet. */
  busy: boolean;
}

/** Prompt for the code that the other device shows after it finished a sign-in. */
export interface ReturnCodeScreen {
  name: 'return_code';
  triesLeft: number;
  /** `incomplete` did not use up a try; `wrong` did. */
  state: 'asking' | 'checking' | 'incomplete' | 'wrong';
}

/**
 * `models`: could not be loaded. `broken`: loaded, but do not run. `unavailable`: the service
 * cannot compare faces now. `full`: the service has no room for new data.
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
 * `unread`: no attempt with a document succeeded. `other_face`: the face does not match the
 * document. `throttled`: too many attempts. `hand_back`: success, and the device that started waits
 * for a code. `not_handed_back`: that code was wrong too often. `key_…`: ends of the age key page.
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

/** Why a check cannot start in this frame, although it could in its own window. */
export type FrameObstacle = 'covered' | 'no_camera_policy';

export interface PageState {
  screen: Screen;
  dialog: Dialog | null;
  /** Null if there is no session. */
  asks: Asks | null;
}

export type TypedContact = Readonly<Partial<Record<ContactField, string>>>;

/** Actions of the person. The page calls them and the flow handles them. */
export interface Actions {
  start(): void;
  useProof(proof: Proof): void;
  /** Presents a wallet by a link or a code for another device, if the browser cannot ask it. */
  linkWallet(): void;
  chooseProfile(profile: string): void;
  /** Remembers the outcome on this device. */
  keepAge(): void;
  deleteAgeKey(): void;
  askForCamera(): void;
  retry(): void;
  chooseDocument(kind: DocumentKind): void;
  /** Returns to the choice of the document type. */
  otherDocument(): void;
  scanDocument(): void;
  useDocumentFile(file: Blob): void;
  tryDocumentAgain(): void;
  usePhone(): void;
  renewCode(): void;
  /** Number that the other device shows. Null: none of these, or someone else started it. */
  chooseNumber(number: string | null): void;
  /** Submits the code that the other device shows. */
  giveReturnCode(typed: string): void;
  /** Returns from the phone's code to this device. */
  goBack(): void;
  goOn(): void;
  /** Shows the face again after a failed comparison or a wait. */
  showFaceAgain(): void;
  usePasskey(): void;
  /** Submits the contact details; empty if the person skips them. */
  giveContact(typed: TypedContact): void;
  /** Sets whether the colors are left out. */
  leaveOutColours(leftOut: boolean): void;
  stopColours(): void;
  askToForget(): void;
  confirmForget(): void;
  askToCancel(): void;
  confirmCancel(): void;
  showPrivacy(): void;
  closeDialog(): void;
  attachVideo(video: HTMLVideoElement | null): void;
}
