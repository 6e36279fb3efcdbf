// Every failure has an explanation that contains no secret.
import { describe, expect, it } from 'vitest';
import { StartError } from '../../platform/base/errors.ts';
import { CommandError } from '../command.ts';
import { describeFailure } from './describe-failure.ts';

const withCode = (facts: object) => Object.assign(new Error('duplicate key value: (email)=(ada@example.org)'), facts);

describe('describeFailure', () => {
  it('passes on messages written for operators', () => {
    expect(describeFailure(new StartError('The key is missing.'))).toBe('The key is missing.');
    expect(describeFailure(new CommandError('No such key.'))).toBe('No such key.');
    const problems = ['A is wrong.', 'B is wrong.'];
    expect(describeFailure(new StartError('The configuration has 2 problems.', { problems }))).toBe(
      'The configuration has 2 problems.\n  - A is wrong.\n  - B is wrong.',
    );
  });

  it.each([
    [{ code: 'EACCES' }, 'Permission denied'],
    [{ code: 'ECONNREFUSED' }, 'The database does not answer'],
    [{ code: '57P01' }, 'The database does not answer'],
    [{ code: '28P01' }, 'refused the login'],
    [{ code: '55P03' }, 'Wait until it ends, then try again'],
    [{ code: '40P01' }, 'Wait until it ends, then try again'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 5 }, 'is busy'],
    [{ code: 'ERR_SQLITE_ERROR', errcode: 11 | (1 << 8) }, 'is damaged'],
  ])('explains %j', (facts, sentence) => {
    expect(describeFailure(withCode(facts))).toContain(sentence);
  });

  it('names the database setting that causes the failure', () => {
    const setting = 'KEYHOLDER_DATABASE_URL';
    for (const code of ['ECONNREFUSED', '28P01', '3D000', '25006']) {
      expect(describeFailure(withCode({ code }))).toMatch(/ DATABASE_URL/);
      expect(describeFailure(withCode({ code }), setting)).toMatch(/ KEYHOLDER_DATABASE_URL/);
    }
    const given = new StartError('KEYHOLDER_DATABASE_URL names another.');
    expect(describeFailure(given, setting)).toBe(given.message);
  });

  it('names class and code of any other error, but never its message', () => {
    expect(describeFailure(withCode({ code: '23505' }))).toBe(
      'An unexpected failure ended the command (Error, 23505).',
    );
    expect(describeFailure(new TypeError('ada@example.org'))).toBe(
      'An unexpected failure ended the command (TypeError).',
    );
    expect(describeFailure(undefined)).toBe('An unexpected failure ended the command (undefined).');
  });
});
