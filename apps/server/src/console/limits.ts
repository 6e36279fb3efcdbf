// Limits of the console: lifetimes, rates, numbers and sizes.

/** A sign-in ends after this long without use, and in any case after MAX_SESSION_HOURS. */
export const SESSION_IDLE_MINUTES = 30;
export const MAX_SESSION_HOURS = 12;
export const INVITE_MINUTES = 15;
export const QUESTION_TTL_MS = 2 * 60_000;
export const PROVIDER_SIGN_IN_MINUTES = 15;

/** Rate limit per address without a session: enough for a person who tries again, too few to guess */
export const STRANGERS = { perSecond: 1, burst: 30 };
/** The page never offers refused calls. The burst allows each call more than once. */
export const REFUSED_CALLS = { perSecond: 0.1, burst: 60 };
export const REFUSED_ENTRIES = { perSecond: 1 / 60, burst: 30 };

export const MAX_BODY_BYTES = 64 * 1024;
/** Longer tokens are not hashed. */
export const MAX_TOKEN_LENGTH = 100;
export const MAX_AGENT_LENGTH = 300;
export const MAX_OPERATOR_NAME_LENGTH = 100;
export const MAX_ABOUT_LENGTH = 20_000;
export const MAX_LINKS = 500;
export const MAX_KEY_TEXT_LENGTH = 200;
export const AUDIT_PAGE_SIZE = 100;
