// Runs the contact step: asks for contact details, which the person may skip.

import type { VerificationDeviceAnswer } from '@limen/contract';
import type { ContactField, ContactPlanStep } from '@limen/plan';
import type { Screen, TypedContact } from '../../course/screens.ts';
import { recordStart, type StepCourse } from '../step-course.ts';

export interface ContactStepOptions {
  step: ContactPlanStep;
  course: StepCourse;
  choose(): Promise<TypedContact>;
  show(screen: Screen): void;
}

/** Records everything but the step's end. */
export async function runContactStep(options: ContactStepOptions): Promise<Contact> {
  const { step, choose, show } = options;
  recordStart(options.course);
  show({ name: 'contact', fields: step.fields, faults: [] });
  for (;;) {
    const { contact, faults } = readContact(await choose());
    if (faults.length === 0) return contact;
    show({ name: 'contact', fields: step.fields, faults });
  }
}

export type Contact = NonNullable<VerificationDeviceAnswer['contact']>;

/** The contact must work for others: a host needs a dot, a number a country code. */
const FORMS: Readonly<Record<ContactField, RegExp>> = {
  email: /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u,
  phone: /^\+[1-9][0-9 ()./-]{5,30}$/,
};
const MAX_EMAIL_LENGTH = 252;
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

export function readContact(typed: TypedContact): {
  contact: Contact;
  faults: readonly ContactField[];
} {
  const contact: Contact = {};
  const faults: ContactField[] = [];
  for (const field of ['email', 'phone'] as const) {
    const value = toPlain(field, typed[field] ?? '');
    if (value === '') continue;
    if (isGood(field, value)) contact[field] = value;
    else faults.push(field);
  }
  return { contact, faults };
}

/** Trims the text, and replaces two leading zeros of a number with a plus. */
function toPlain(field: ContactField, value: string): string {
  const text = value.trim();
  return field === 'phone' ? text.replace(/^00/, '+') : text;
}

function isGood(field: ContactField, value: string): boolean {
  if (!FORMS[field].test(value)) return false;
  if (field === 'email') return value.length <= MAX_EMAIL_LENGTH;
  const digits = value.replace(/\D/g, '').length;
  return digits >= MIN_DIGITS && digits <= MAX_DIGITS;
}
