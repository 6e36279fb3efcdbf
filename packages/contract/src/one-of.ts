// Enumerations whose validation errors list the allowed values, unlike a union of literals.
import { Type } from 'typebox';

export function oneOf<const Value extends string>(values: readonly Value[], description?: string) {
  return Type.Unsafe<Value>({ type: 'string', enum: values, ...(description === undefined ? {} : { description }) });
}
