// Messages between the element and the page in its frame. None of them reveals the outcome of a
// check.

/** Greeting from the page in the frame to the surrounding window: the page is listening. */
export interface Hello {
  limen: 'hello';
}

/** Response to the frame's window, with a port for all further messages. */
export interface Connect {
  limen: 'connect';
  mode: LimenCheckMode;
  /** Whether the host navigates at the end and therefore needs the URL. */
  redirect?: boolean;
}

/** Messages through the port to the page. */
export interface HostMessage {
  /**
   * `cancel`: the person wants to leave, and the page asks for confirmation. `ping`: checks whether
   * the page is still there.
   */
  type: 'cancel' | 'ping';
}

/** Messages through the port from the page. */
export type PageMessage =
  /** The port was taken. Also the answer to every message, showing that the page is there. */
  | { type: 'connected' }
  /** The first screen is shown. `name` and `close` are labels in its language. */
  | { type: 'ready'; name: string; close: string; lang: string; dir: 'ltr' | 'rtl' }
  | { type: 'step'; step: LimenCheckStep }
  /** Height of the first screen in CSS pixels. Later changes apply to all screens. */
  | { type: 'resize'; height: number }
  /** The session ended with any outcome, or the person cancelled it. */
  | { type: 'ended' | 'cancelled' }
  /**
   * The person has seen the end, or has nothing to cancel. Contains the redirect if the host
   * requested it when connecting. Some sessions redirect only after a success.
   */
  | { type: 'leave'; redirectUrl: string | null }
  | { type: 'error'; code: 'covered' | 'no_camera_policy' };

export type LimenCheckMode = 'inline' | 'modal';

/**
 * Approximate position of the person, too coarse to reveal findings: reading the introduction,
 * granting the camera, showing or typing something, waiting for a phone or a wallet.
 */
export type LimenCheckStep = 'welcome' | 'camera' | 'check' | 'phone' | 'wallet';
