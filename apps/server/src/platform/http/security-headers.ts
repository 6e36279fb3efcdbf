// Security headers of replies and pages.
import { readOrigin } from '../api-keys/embed-origins.ts';

export const API_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/** For pages without scripts: styles and images from this address only */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

/** For pages with scripts that call this service */
export const SCRIPTED_PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_HEADERS['content-security-policy']}; script-src 'self'; connect-src 'self'`,
};

/** Browser features that the launch page never uses. Only those that Chromium knows everywhere, or it complains. */
const UNUSED_FEATURES =
  'accelerometer clipboard-read display-capture encrypted-media fullscreen gamepad geolocation gyroscope hid idle-detection ' +
  'local-fonts magnetometer microphone midi otp-credentials payment picture-in-picture serial storage-access sync-xhr usb ' +
  'window-management xr-spatial-tracking';
const USED_FEATURES = 'camera digital-credentials-get publickey-credentials-create publickey-credentials-get';

/**
 * For the launch page and its workers: everything from this address only, WebAssembly but no `eval`, no inline script or style, the
 * camera, passkeys, wallets, and memory that threads can share.
 */
export function launchHeaders(frameAncestors: readonly string[]): Record<'page' | 'script', Record<string, string>> {
  // Only origins may get into the policy, even from an edited database.
  const embedders = frameAncestors.filter((origin) => readOrigin(origin) === origin);
  const framed = embedders.length > 0;
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${framed ? embedders.join(' ') : "'none'"}`,
  ].join('; ');
  const script = {
    'content-security-policy': policy,
    'cross-origin-embedder-policy': 'require-corp',
    'referrer-policy': 'no-referrer',
  };
  return {
    script,
    page: {
      ...script,
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': [
        ...USED_FEATURES.split(' ').map((feature) => `${feature}=(self)`),
        ...UNUSED_FEATURES.split(' ').map((feature) => `${feature}=()`),
      ].join(', '),
      // An isolated host may frame only pages that allow it.
      ...(framed ? { 'cross-origin-resource-policy': 'cross-origin' } : { 'x-frame-options': 'DENY' }),
    },
  };
}

/** Only if the service itself speaks TLS; otherwise the proxy decides. */
export const TLS_HEADERS: Readonly<Record<string, string>> = { 'strict-transport-security': 'max-age=31536000' };
