// What the element and the page in its frame say to each other. None of it says how a check came out.

/** From the page in the frame to the window around it: it listens. */
export interface Hello {
  limen: 'hello';
}

/** To the window of the frame, in answer, together with one port; everything after it goes through that port. */
export interface Connect {
  limen: 'connect';
  mode: LimenCheckMode;
  /** The host leads the window on at the end, and so has to know where to. */
  redirect?: boolean;
}

/** Through the port, to the page. */
export interface HostMessage {
  /** `cancel`: the person wants to leave, and the page asks whether they mean it. `ping`: is the page still there? */
  type: 'cancel' | 'ping';
}

/** Through the port, from the page. */
export type PageMessage =
  /** The port was taken. Also the answer to everything that comes through it: the page is there. */
  | { type: 'connected' }
  /** The first screen is there. `name` and `close` are words of its language, for what is around the frame. */
  | { type: 'ready'; name: string; close: string; lang: string; dir: 'ltr' | 'rtl' }
  | { type: 'step'; step: LimenCheckStep }
  /** What the first screen takes, in CSS pixels; from then on one height for all others, whatever they say. */
  | { type: 'resize'; height: number }
  /** The session is over, whatever came of it; or the person gave it up. */
  | { type: 'ended' | 'cancelled' }
  /**
   * The person has seen the end, or has nothing to cancel. With where the session sends them, if the host asked for that when it
   * connected: some sessions only send on who passed.
   */
  | { type: 'leave'; redirectUrl: string | null }
  | { type: 'error'; code: 'covered' | 'no_camera_policy' };

export type LimenCheckMode = 'inline' | 'modal';

/**
 * Roughly where the person is: reading what it is about, being asked for the camera, showing or typing something, waiting for
 * a phone or for a wallet. Too rough to tell what was found.
 */
export type LimenCheckStep = 'welcome' | 'camera' | 'check' | 'phone' | 'wallet';
