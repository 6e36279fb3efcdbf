// Determines whether a phone can use a launch URL, and suggests what to do otherwise.

const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0|\[::\])$/;

export type PhoneHint = 'loopback' | 'insecure' | null;

export function phoneHint(launchUrl: string): PhoneHint {
  const { hostname, protocol } = new URL(launchUrl);
  if (LOOPBACK.test(hostname)) return 'loopback';
  return protocol === 'https:' ? null : 'insecure';
}
