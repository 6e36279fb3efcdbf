// Limits of the console: how long sign-ins, links and questions hold, and how many or how large things may be.

/** A sign-in ends after this long without use, and in any case after MAX_SESSION_HOURS. */
export const SESSION_IDLE_MINUTES = 30;
export const MAX_SESSION_HOURS = 12;
export const INVITE_MINUTES = 15;
/** Lifetime of a question to an authenticator: at sign-in, and before what destroys or creates. */
export const QUESTION_TTL_MS = 2 * 60_000;
/** For signing in at an identity provider, a second factor and a forgotten telephone. */
export const PROVIDER_SIGN_IN_MINUTES = 15;

/** Calls of an address that is not signed in: enough for a person who tries again, too few to guess. */
export const STRANGERS = { perSecond: 1, burst: 30 };
/**
 * Rate limit for refused calls of one signed-in operator. The page never offers a refused call, so
 * the calls come from another client. The burst allows more than one try of each call.
 */
export const REFUSED_CALLS = { perSecond: 0.1, burst: 60 };
/** Rate limit for refused entries of one operator, and of all unknown people together. */
export const REFUSED_ENTRIES = { perSecond: 1 / 60, burst: 30 };

export const MAX_BODY_BYTES = 64 * 1024;
/** Longer tokens are not ours and are not even hashed. */
export const MAX_TOKEN_LENGTH = 100;
/** A browser’s user agent; the rest is cut off. */
export const MAX_AGENT_LENGTH = 300;
export const MAX_OPERATOR_NAME_LENGTH = 100;
/** The subject of an act. The sites of a key are the longest. */
export const MAX_ABOUT_LENGTH = 20_000;
/** How far back an account looks, among the links of everybody, for those that were made for it. */
export const MAX_LINKS = 500;
/** Each name that a key is given. */
export const MAX_KEY_TEXT_LENGTH = 200;
/** Lines of the audit log on one page. */
export const AUDIT_PAGE_SIZE = 100;
