// Checks of what comes by other ways than a request, by the library that checks requests: a second one would be 300 more files
// to load at every start, of the service and of its key-holder.

import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { describeViolation } from './describe-violation.ts';
import { addMaxUnknownFields, boundUnknownFields } from './unknown-fields.ts';

// The schemas are our own, and checking them against the rules of schemas would take a tenth of a second at the start.
const ajv = new Ajv2020({ validateFormats: false, validateSchema: false, meta: false });
addMaxUnknownFields(ajv);

export function compileCheck<T extends TSchema>(schema: T): (value: unknown) => value is Static<T> {
  return compileWhenUsed(() => ajv.compile(boundUnknownFields(schema))) as Check &
    ((value: unknown) => value is Static<T>);
}

/** In what the value that a check has just refused did not fit, as a request is told: fields, and never what is in them. */
export function explainRefusal(check: (value: unknown) => boolean): string {
  const [first] = (check as Check).errors ?? [];
  if (!first) return 'does not have the form that it must have';
  const { path, message } = describeViolation(first, '');
  return `${path} ${message}`.trim();
}

/** As Ajv compiles it. */
export interface CompiledCheck {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null | undefined;
}

export interface Check {
  (value: unknown): boolean;
  /** What was wrong with the last value. */
  errors: ErrorObject[] | null;
}

export function compileWhenUsed(compile: () => CompiledCheck): Check {
  let compiled: CompiledCheck | undefined;
  const check: Check = (value) => {
    compiled ??= compile();
    const isValid = compiled(value);
    check.errors = compiled.errors ?? null;
    return isValid;
  };
  check.errors = null;
  return check;
}
