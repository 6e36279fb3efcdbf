// Settings of the key-holder process: defaults, all problems at once, and secrets that stay secret.
import { describe, expect, it } from 'vitest';
import { readKeyHolderSettings } from './settings.ts';

const secret = 'x'.repeat(32);

describe('readKeyHolderSettings', () => {
  it('returns the documented defaults', () => {
    expect(readKeyHolderSettings({ KEYHOLDER_SECRET: secret })).toEqual({
      settings: {
        NODE_ENV: 'development',
        KEYHOLDER_HOST: '127.0.0.1',
        KEYHOLDER_PORT: 8443,
        KEYHOLDER_DATA_DIR: './keyholder-data',
        KEYHOLDER_DATABASE_WAIT_SECONDS: 30,
        KEYHOLDER_SECRET: [secret],
        KEYHOLDER_METRICS_HOST: '127.0.0.1',
        KEYHOLDER_ANSWERS_PER_HOUR: 3_600,
        KEYHOLDER_ANSWERS_PER_ADDRESS: 600,
        KEYHOLDER_ANSWERS_PER_PERSON: 120,
        KEYHOLDER_ENROLMENTS_PER_HOUR: 1_200,
        KEYHOLDER_ENROLMENTS_PER_ADDRESS: 120,
        AUDIT_DAYS: 400,
        LOG_LEVEL: 'info',
      },
    });
  });

  it('reports all problems at once, without secrets', () => {
    const read = readKeyHolderSettings({
      NODE_ENV: 'production',
      KEYHOLDER_PORT: 'eighty',
      KEYHOLDER_SECRET: 'too short',
      KEYHOLDER_MATCH_THRESHOLD: '2',
      KEYHOLDER_ANSWERS_PER_HOUR: '0',
    });
    expect(read).toEqual({
      problems: [
        'KEYHOLDER_PORT must be a whole number from 0 to 65535 (it is "eighty").',
        'KEYHOLDER_SECRET must be at least 32 printable ASCII characters without spaces.',
        'KEYHOLDER_MATCH_THRESHOLD must be a number from 0 to 1 (it is "2").',
        'KEYHOLDER_ANSWERS_PER_HOUR must be a whole number from 1 to 1000000000 (it is "0").',
        'KEYHOLDER_MASTER_KEY is required in production: a key file stored with the data it seals protects nothing.',
      ],
    });
  });

  it('requires the shared master key for a shared database and hides its address', () => {
    const read = readKeyHolderSettings({
      KEYHOLDER_SECRET: secret,
      KEYHOLDER_DATABASE_URL: 'postgres://u:p@host/keys',
    });
    expect(read).toEqual({ problems: [expect.stringContaining('KEYHOLDER_MASTER_KEY is needed')] });
    expect(readKeyHolderSettings({ KEYHOLDER_SECRET: secret, KEYHOLDER_DATABASE_URL: 'hunter2' })).toEqual({
      problems: [expect.not.stringContaining('hunter2'), expect.stringContaining('KEYHOLDER_MASTER_KEY is needed')],
    });
  });

  it('refuses a misspelled setting and accepts those of the service', () => {
    const read = (more: object) => readKeyHolderSettings({ KEYHOLDER_SECRET: secret, ...more });
    expect(read({ KEYHOLDER_DATABASE_UR: 'postgres://keys@host/keys' })).toEqual({
      problems: [expect.stringMatching(/^KEYHOLDER_DATABASE_UR is not a setting; KEYHOLDER_DATABASE_URL is\. /)],
    });
    expect(read({ KEYHOLDER_URL: 'tls://127.0.0.1:8443', DATABASE_URL: 'postgres://limen@host/limen' })).toMatchObject({
      settings: {},
    });
  });

  it('requires a token for metrics that are reachable from other machines', () => {
    const read = (more: object) =>
      readKeyHolderSettings({ KEYHOLDER_SECRET: secret, KEYHOLDER_METRICS_PORT: '9464', ...more });
    const problems = [expect.stringContaining('KEYHOLDER_METRICS_TOKEN is needed')];
    expect(read({ KEYHOLDER_METRICS_HOST: '0.0.0.0' })).toEqual({ problems });
    const settings = { KEYHOLDER_METRICS_PORT: 9_464 };
    expect(read({})).toMatchObject({ settings });
    expect(read({ KEYHOLDER_METRICS_HOST: '0.0.0.0', KEYHOLDER_METRICS_TOKEN: secret })).toMatchObject({ settings });
  });

  it('accepts two master keys during a rotation', () => {
    const keys = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
    const KEYHOLDER_MASTER_KEY = keys.map((key) => key.toString('base64')).join(',');
    expect(readKeyHolderSettings({ KEYHOLDER_SECRET: secret, KEYHOLDER_MASTER_KEY })).toMatchObject({
      settings: { KEYHOLDER_MASTER_KEY: keys },
    });
  });

  it('requires a secret', () => {
    expect(readKeyHolderSettings({ KEYHOLDER_SECRET: ' ' })).toEqual({
      problems: [expect.stringContaining('KEYHOLDER_SECRET is needed')],
    });
  });
});
