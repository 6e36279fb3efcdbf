// The contact step: asks how the person can be reached, and takes what they give, or nothing.
import type { ContactPlanStep, LogEntry, Standing } from '@limen/plan';
import type { Screen, TypedContact } from '../../course/screens.ts';
import { type Contact, readContact } from './read-contact.ts';

export interface ContactStepOptions {
  step: ContactPlanStep;
  index: number;
  standing: Standing | undefined;
  choose(): Promise<TypedContact>;
  record(event: LogEntry[0], index: number): void;
  show(screen: Screen): void;
}

/** It records everything but the step's end. */
export async function runContactStep(options: ContactStepOptions): Promise<Contact> {
  const { step, index, standing, choose, record, show } = options;
  if (standing !== 'running') record(standing === undefined ? 'started' : 'retried', index);
  show({ name: 'contact', fields: step.fields, faults: [] });
  for (;;) {
    const { contact, faults } = readContact(await choose());
    if (faults.length === 0) return contact;
    show({ name: 'contact', fields: step.fields, faults });
  }
}
