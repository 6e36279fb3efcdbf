// Checks by a schema that are compiled when the first value comes: a process uses few of hundreds in its first minute, and to
// compile them all was a fifth of its start.
import type { ErrorObject } from 'ajv';

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
