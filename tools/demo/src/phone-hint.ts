// Whether a phone can do anything with a launch address, and what to do where it cannot.

const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])$/;

export type PhoneHint = 'loopback' | 'insecure' | null;

export function phoneHint(launchUrl: string): PhoneHint {
  const { hostname, protocol } = new URL(launchUrl);
  if (LOOPBACK.test(hostname)) return 'loopback';
  return protocol === 'https:' ? null : 'insecure';
}
