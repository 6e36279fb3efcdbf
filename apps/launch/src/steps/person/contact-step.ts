// The contact step: asks how the person can be reached, and takes what they give, or nothing.

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

/** It records everything but the step's end. */
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

/** Other people must be able to use the contact: a host needs a dot, a number a country code. */
const FORMS: Readonly<Record<ContactField, RegExp>> = {
  email: /^[^\s@\p{C}]{1,64}@[^\s@.\p{C}]+(\.[^\s@.\p{C}]+)+$/u,
  phone: /^\+[1-9][0-9 ()./-]{5,30}$/,
};
const LONGEST_EMAIL = 252;
const FEWEST_DIGITS = 7;
const MOST_DIGITS = 15;

/** A field that is empty is left out. */
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

/** Without spaces around it, and a number with a plus where it was typed with two zeros. */
function toPlain(field: ContactField, value: string): string {
  const text = value.trim();
  return field === 'phone' ? text.replace(/^00/, '+') : text;
}

function isGood(field: ContactField, value: string): boolean {
  if (!FORMS[field].test(value)) return false;
  if (field === 'email') return value.length <= LONGEST_EMAIL;
  const digits = value.replace(/\D/g, '').length;
  return digits >= FEWEST_DIGITS && digits <= MOST_DIGITS;
}
