// The attack book in the test suite: every class with few attempts against one service, and a book
// with a planted hole.
import { existsSync, readFileSync } from 'node:fs';
import { onlyWhenLong } from '@limen/testing/rounds.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ATTACK_CLASSES } from './book/all-classes.ts';
import type { AttackClass } from './book/attack-class.ts';
import { runAttacks } from './book/command.ts';
import { openOwnService } from './book/own-service.ts';
import { playClass } from './book/play.ts';
import { openStage, type Stage } from './book/stage.ts';

const boundsOf = ({ attemptsInSuite = 1 }: AttackClass) => ({
  attempts: onlyWhenLong(100, attemptsInSuite),
  secondsPerClass: onlyWhenLong(60, 30),
});
const PLAYED = onlyWhenLong(
  ATTACK_CLASSES.filter(({ lacks }) => lacks?.() === undefined),
  ATTACK_CLASSES.filter(({ isLong }) => !isLong),
);

describe('every attack is refused', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openOwnService();
  });
  afterAll(() => stage.close());

  it.each(PLAYED.map((attack) => ({ name: attack.name, attack })))('$name', async ({ attack }) => {
    const { accepted, trouble, attempts } = await playClass(attack, stage, boundsOf(attack));
    expect({ accepted: [...accepted], trouble }).toEqual({ accepted: [], trouble: undefined });
    expect(attempts).toBeGreaterThan(0);
  });

  it('refuses attacks with a key that has client credentials, if the environment has one', async () => {
    const { apiKey, clientId, clientSecret } = await stage.newHost({ clientCredentials: true });
    const said = { out: '', err: '' };
    const play = (environment: Record<string, string | undefined>) =>
      runAttacks(
        ['--url', stage.url, '--only', 'faces-carried,client-secret-wrong', '--attempts', '2'],
        { print: (text) => (said.out += text), tell: (text) => (said.err += text) },
        undefined,
        { LIMEN_API_KEY: apiKey, ...environment },
      );
    expect(await play({})).toBe(2);
    expect(said.err).toContain('set LIMEN_CLIENT_ID and LIMEN_CLIENT_SECRET');
    expect(await play({ LIMEN_CLIENT_ID: clientId })).toBe(2);
    expect(await play({ LIMEN_CLIENT_ID: clientId, LIMEN_CLIENT_SECRET: clientSecret })).toBe(0);
    expect(said.out).toContain(
      'Left out, because they are played only against a service of its own (without --url): client-secret-wrong',
    );
  });
});

/** Attempts that return these outcomes in turn. */
function told(...words: string[]): AttackClass {
  return {
    name: 'made-up',
    prevents: 'nothing',
    promise: 'docs/reference/attacks.md',
    needs: 'nobody',
    refusals: ['404 not_found'],
    attempts: 4,
    begin: async () => async (round) => words[round % words.length]!,
  };
}

async function runWith(attacks: AttackClass | AttackClass[], ...args: string[]) {
  const said = { out: '', err: '' };
  const code = await runAttacks(
    args,
    { print: (text) => (said.out += `${text}\n`), tell: (text) => (said.err += text) },
    { classes: [attacks].flat(), openOwn: async () => openStage({ url: 'http://127.0.0.1:1' }) },
  );
  return { code, ...said };
}

describe('the runner', () => {
  it('exits with 0 if everything was refused', async () => {
    const { code, out } = await runWith(told('404 not_found'));
    expect(code).toBe(0);
    expect(out).toContain('1 classes, 4 attempts, 0 accepted.');
  });

  it('exits with 1 and names a single acceptance among refusals', async () => {
    const { code, out } = await runWith(told('404 not_found', '404 not_found', '404 not_found', '200'));
    expect(code).toBe(1);
    expect(out).toContain('ACCEPTED made-up: 200 (1)');
  });

  it('shows only the last remark of a class', async () => {
    const remarking: AttackClass = {
      ...told(),
      begin: async (_, remark) => async (round) => {
        remark(`worst ${round} ms`);
        return '404 not_found';
      },
    };
    expect((await runWith(remarking)).out).toContain('404 not_found (4); worst 3 ms\n');
  });

  it('exits with 1 if an attempt is aborted, or the legitimate flow fails', async () => {
    const breaks = { ...told(), begin: async () => async () => Promise.reject(new Error('nobody there')) };
    expect(await runWith(breaks)).toMatchObject({ code: 1, out: expect.stringContaining('nobody there') });
    const cannot = { ...told(), begin: async () => Promise.reject(new Error('the honest way does not work')) };
    expect(await runWith(cannot)).toMatchObject({ code: 1, out: expect.stringContaining('NOT PLAYED made-up') });
  });

  it('exits with 1 on any 500, whatever the attempt reports', async () => {
    const { createServer } = await import('node:http');
    const broken = createServer((_, reply) => reply.writeHead(500).end('{}')).listen(0, '127.0.0.1');
    await new Promise((resolve) => broken.once('listening', resolve));
    const { port } = broken.address() as { port: number };
    const asking: AttackClass = {
      ...told(),
      begin:
        async ({ speaker }) =>
        async () => {
          await speaker.send({ method: 'GET', path: '/' });
          return '404 not_found';
        },
    };
    const { code, out } = await runWith(asking, '--url', `http://127.0.0.1:${port}`);
    broken.close();
    expect(code).toBe(1);
    expect(out).toContain('ACCEPTED made-up: 500 on GET / (4)');
  });

  it('reports what it had no time for, and how to give more', async () => {
    // The first attempt uses up the time on a clock that the test controls.
    const clock = vi.spyOn(performance, 'now');
    onTestFinished(() => clock.mockRestore());
    const slow: AttackClass = {
      ...told(),
      begin: async () => async () => {
        clock.mockReturnValue(Number.MAX_SAFE_INTEGER);
        return '404 not_found';
      },
    };
    const never = { ...told('404 not_found'), name: 'never-begun' };
    const { code, out } = await runWith([slow, never], '--minutes', '7');
    expect(code).toBe(1);
    expect(out).toContain('NOT PLAYED, for lack of time: never-begun.');
    expect(out).toContain('CUT SHORT: made-up (1 of 4 attempts).');
    expect(out).toContain('The time was up (--minutes 7). Give more with --minutes.');
  });

  it('rejects an address that is not a service accepting everything', async () => {
    const { code, err, out } = await runWith(told('200'), '--url', 'http://127.0.0.1:1');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Nothing answers at http://127.0.0.1:1 (ECONNREFUSED)');
  });

  it.each([
    [['--url', 'https://limen.example'], 'only with a test key'],
    [['--url', 'https://limen.example', '--key', 'limen_live_abc'], 'live key'],
    [['--url', 'ftp://127.0.0.1'], 'http or https'],
    [['--only', 'nothing-like-it'], 'There is no class nothing-like-it'],
    [['--attempts', '0'], 'whole number'],
    [['--nonsense'], 'Plays the attack book'],
  ])('rejects %j', async (args, sentence) => {
    expect(await runWith(told('404 not_found'), ...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(sentence),
    });
  });
});

describe('the list', () => {
  it('has unique names', () => {
    const names = ATTACK_CLASSES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(ATTACK_CLASSES.map(({ name, promise }) => ({ name, promise })))(
    '$name is promised in $promise',
    ({ promise }) => {
      const [file = '', section] = promise.split('#');
      expect(existsSync(file)).toBe(true);
      const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
        text!
          .toLowerCase()
          .replace(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      );
      if (section !== undefined) expect(headings).toContain(section);
    },
  );
});
