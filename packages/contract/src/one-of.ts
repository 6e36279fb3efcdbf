// Enumerations whose refusal names the allowed values, which a union of literals does not.
import { Type } from 'typebox';

export function oneOf<const Value extends string>(values: readonly Value[], description?: string) {
  return Type.Unsafe<Value>({ type: 'string', enum: values, ...(description === undefined ? {} : { description }) });
}
