// The events of the element, with what they carry.
import type { LimenCheckStep } from './messages.ts';

/**
 * `bad_launch_url`: it is missing, or not an address of https or http. `no_handshake`: the page did not answer, most likely because
 * it may not be framed by this origin. `covered`: something lies over what the person has to read. `no_camera_policy`: the page around
 * the element does not let any frame have the camera. `unsupported`: the browser is too old for the element.
 */
export type LimenCheckErrorCode = 'bad_launch_url' | 'no_handshake' | 'covered' | 'no_camera_policy' | 'unsupported';

export interface LimenCheckEventMap {
  /** The page shows its first screen. */
  ready: CustomEvent<null>;
  step: CustomEvent<{ step: LimenCheckStep }>;
  /** In CSS pixels; inline, the element has already taken it over. */
  resize: CustomEvent<{ height: number }>;
  /** The session is over, and was not given up. What came of it is in the webhook and in the result, which your server reads. */
  ended: CustomEvent<null>;
  /** The person gave it up; then `ended` does not come. */
  cancelled: CustomEvent<null>;
  /** It is done with: the person has read the end, or the dialog is gone, whoever closed it. */
  close: CustomEvent<null>;
  /** Can be prevented: without that, `no_handshake` and `unsupported` lead to the page itself, in place of yours. */
  error: CustomEvent<{ code: LimenCheckErrorCode }>;
}
