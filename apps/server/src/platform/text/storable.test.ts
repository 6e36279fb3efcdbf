// Text that a database can store, and text that it cannot.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTextProblem } from './storable.ts';

describe('findTextProblem', () => {
  it('accepts any well-formed text without NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
        fc.pre(!value.includes('\0'));
        expect(findTextProblem(value)).toBeUndefined();
      }),
    );
  });

  it('finds NUL and lone surrogates at any position', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('\0', '\ud800', '\udfff'), fc.string(), (before, bad, after) => {
        expect(findTextProblem(before + bad + after)).toMatch(/^must not contain/);
      }),
    );
  });
});
