// Launch URLs: the exact address of the page, and the session.
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import { walletAnswerUrl } from '../sessions/age/device/wallet-address-routes.ts';
import { findAddresses } from './settings.ts';

const DOOR = { address: () => 'http://localhost:8080' };
const SESSION = '5f0c8a52-6a3e-4c55-9d0e-0b6f3f9f2f57';

const launchUrl = (environment: Record<string, string>) =>
  findAddresses(loadConfig(environment), DOOR).launchUrl(SESSION);

describe('the launch URL', () => {
  it.each([
    [{}, 'http://localhost:8080/launch'],
    [{ PUBLIC_URL: 'https://limen.example/' }, 'https://limen.example/launch'],
    [{ LAUNCH_URL: 'https://page.example/start/' }, 'https://page.example/start/'],
    [{ LAUNCH_URL: 'https://page.example/start' }, 'https://page.example/start'],
    [{ LAUNCH_URL: 'https://page.example/A%20b//c/' }, 'https://page.example/A%20b//c/'],
    [{ LAUNCH_URL: 'https://page.example' }, 'https://page.example/'],
  ])('of %j begins with %s', (environment, page) => {
    expect(launchUrl(environment).href).toBe(`${page}?sessionId=${SESSION}`);
  });

  it.each(['https://page.example/start/', 'https://page.example/start'])('of %s has wallet paths below it', (page) => {
    expect(walletAnswerUrl(launchUrl({ LAUNCH_URL: page }), 'x')).toBe('https://page.example/start/wallet/x');
  });
});
