// Compiles checks of values outside of requests, with the library that checks requests. A second
// library would add 300 files to every start.
import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { describeViolation } from './describe-violation.ts';
import { addMaxUnknownFields, boundUnknownFields } from './unknown-fields.ts';

/** A check as Ajv compiles it. `errors` are those of the last value. */
export interface Check {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

// The schemas are constants; validating them too would take a tenth of a second at the start.
const ajv = new Ajv2020({ validateFormats: false, validateSchema: false, meta: false });
addMaxUnknownFields(ajv);

export function compileCheck<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  return compileWhenUsed(() => ajv.compile(boundUnknownFields(schema))) as (value: unknown) => value is Static<T>;
}

/** Explains why a check refused the last value. Names fields, but never their contents. */
export function explainRefusal(check: (value: unknown) => boolean): string {
  const [first] = (check as Check).errors ?? [];
  if (!first) return 'does not have the form that it must have';
  const { path, message } = describeViolation(first, '');
  return `${path} ${message}`.trim();
}

export function compileWhenUsed(compile: () => Check): Check {
  let compiled: Check | undefined;
  return delegateCheck(() => {
    compiled ??= compile();
    return compiled;
  });
}

/** Returns a check that leaves each value to the check that `choose` returns for it. */
export function delegateCheck(choose: (value: unknown) => Check): Check {
  const check: Check = (value) => {
    const chosen = choose(value);
    const isValid = chosen(value);
    check.errors = chosen.errors ?? null;
    return isValid;
  };
  return check;
}
