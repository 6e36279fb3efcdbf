// What the person does on the screens, kept for whoever waits for it.
import type { DocumentChoice } from '../../steps/document/document-step.ts';
import type { PersonChoice } from '../check/run-person-steps.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { createLatch, type Latch } from './latch.ts';

export interface PersonInput {
  /** The element of the capture screen. */
  video: Latch<HTMLVideoElement>;
  document: Inbox<DocumentChoice>;
  person: Inbox<PersonChoice>;
  /** The number that the other device shows; null for none of them. */
  number: Inbox<string | null>;
  returnCode: Inbox<string>;
}

export function createPersonInput(): PersonInput {
  return {
    video: createLatch(),
    document: createInbox(),
    person: createInbox(),
    number: createInbox(),
    returnCode: createInbox(),
  };
}
