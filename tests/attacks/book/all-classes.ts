// The book: every class that is played, in the order of the table.
import type { AttackClass } from './attack-class.ts';
import {
  answersAfterTheEnd,
  answersAltered,
  answersOfAnother,
  answersOfAnotherSize,
  coursesOutOfPlan,
  plansForged,
} from './classes/channel/answers.ts';
import { reportsRewritten } from './classes/channel/reports.ts';
import { foreignDevice, signaturesForged, signaturesReplayed } from './classes/channel/signatures.ts';
import { stepUpDodged } from './classes/channel/step-up.ts';
import { fasterThanPeople } from './classes/channel/times.ts';
import { fasterThanPeopleAtEnrolment } from './classes/channel/times-at-enrolment.ts';
import { idsGuessed } from './classes/keys/ids-guessed.ts';
import { keysGuessed } from './classes/keys/keys-guessed.ts';
import { sealedFieldsForged } from './classes/node/node-encryption.ts';
import { oddVectors } from './classes/node/odd-vectors.ts';
import { callbacksInside } from './classes/outbound/callbacks.ts';
import { bodyBombs, prototypesPoisoned } from './classes/requests/bodies.ts';
import { rowsLost, uploadsBroken } from './classes/requests/csv.ts';
import { nonsenseEverywhere } from './classes/requests/fuzz.ts';
import { headerInjection } from './classes/requests/headers.ts';
import { idempotencyKeyReused } from './classes/requests/idempotency.ts';
import { otherOrigins } from './classes/requests/other-origins.ts';
import { pathTricks, requestSmuggling } from './classes/requests/paths.ts';
import { redirectSchemes } from './classes/requests/redirects.ts';
import { anotherCustomer } from './classes/worlds/another-customer.ts';
import { liveKeyInTestMode } from './classes/worlds/live-key-in-test-mode.ts';

interface Chapter {
  title: string;
  classes: readonly AttackClass[];
}

export const CHAPTERS: readonly Chapter[] = [
  { title: 'Keys, customers, worlds', classes: [keysGuessed, idsGuessed, anotherCustomer, liveKeyInTestMode] },
  {
    title: 'The device of a session',
    classes: [
      ...[signaturesForged, signaturesReplayed, foreignDevice, reportsRewritten, answersOfAnother, answersAltered],
      ...[
        plansForged,
        coursesOutOfPlan,
        answersOfAnotherSize,
        answersAfterTheEnd,
        stepUpDodged,
        fasterThanPeople,
        fasterThanPeopleAtEnrolment,
      ],
    ],
  },
  {
    title: 'Requests',
    classes: [
      ...[bodyBombs, prototypesPoisoned, redirectSchemes, headerInjection, idempotencyKeyReused],
      ...[pathTricks, requestSmuggling, otherOrigins, callbacksInside, uploadsBroken, rowsLost, sealedFieldsForged],
      ...[oddVectors, nonsenseEverywhere],
    ],
  },
];

export const ATTACK_CLASSES: readonly AttackClass[] = CHAPTERS.flatMap(({ classes }) => classes);
