// Events of the element and their details.
import type { LimenCheckStep } from './messages.ts';

/**
 * `bad_launch_url`: the URL is missing, or not http(s). `no_handshake`: the page did not answer,
 * most likely because this origin may not frame it. `covered`: something covers the text that the
 * person must read. `no_camera_policy`: the surrounding page denies the camera to all frames.
 * `unsupported`: the browser is too old for the element.
 */
export type LimenCheckErrorCode = 'bad_launch_url' | 'no_handshake' | 'covered' | 'no_camera_policy' | 'unsupported';

export interface LimenCheckEventMap {
  /** The page shows its first screen. */
  ready: CustomEvent<null>;
  step: CustomEvent<{ step: LimenCheckStep }>;
  /** Height in CSS pixels. Inline elements have already applied it. */
  resize: CustomEvent<{ height: number }>;
  /** The session ended without being cancelled. Only your server gets the outcome. */
  ended: CustomEvent<null>;
  /** The person cancelled the session. `ended` is not dispatched then. */
  cancelled: CustomEvent<null>;
  /** The person has read the last screen, or the dialog was closed by anyone. */
  close: CustomEvent<null>;
  /**
   * Cancelable. Unless prevented, `no_handshake` and `unsupported` navigate your window to the
   * check.
   */
  error: CustomEvent<{ code: LimenCheckErrorCode }>;
}
