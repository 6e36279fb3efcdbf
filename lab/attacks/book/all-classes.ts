// The book: every class in table order.
import type { AttackClass } from './attack-class.ts';
import {
  answersAfterTheEnd,
  answersAltered,
  answersOfAnother,
  answersOfAnotherSize,
  coursesOutOfPlan,
  plansForged,
} from './classes/channel/answers.ts';
import { cameraNotAsked, lightDodged, lightInNoTime, lightMadeUp } from './classes/channel/light.ts';
import { reportsRewritten } from './classes/channel/reports.ts';
import {
  browserDataMissing,
  burstsFromOneAddress,
  logsResubmitted,
  logsToldEarly,
} from './classes/channel/scripted-devices.ts';
import { foreignDevice, signaturesForged, signaturesReplayed } from './classes/channel/signatures.ts';
import { stepUpDodged } from './classes/channel/step-up.ts';
import { fasterThanPeople } from './classes/channel/times.ts';
import { fastEnrollmentsReturn, fasterThanPeopleAtEnrollment } from './classes/channel/times-at-enrolment.ts';
import { ageKeysForged, ageKeysUnearned } from './classes/faces/age-keys.ts';
import { ageKeysFarmed } from './classes/faces/age-keys-farmed.ts';
import { answersUsedUp, answersUsedUpByCrowds } from './classes/faces/answers.ts';
import { customersLocked, enrollmentsLeftOpen, peopleMadeUp, vouchedCrowdedOut } from './classes/faces/crowds.ts';
import { devicesOfOthers } from './classes/faces/devices.ts';
import { enrollmentsFlooded } from './classes/faces/floods.ts';
import {
  enrollmentsTellNothing,
  guessingAllAtOnce,
  guessingBehindHeaders,
  guessingBetweenSuccesses,
  lockedLooksAlike,
  ownersLockedOut,
} from './classes/faces/guessing.ts';
import { passkeysForged } from './classes/faces/passkeys.ts';
import { enrollmentsParked, ownersPushedOut, photographsOnNewDevices } from './classes/faces/photographs.ts';
import { facesOfNobody, probesForged, probesReplayed } from './classes/faces/probes.ts';
import { guessesSplit, oneTimeKeysAtBoth } from './classes/faces/shared-key-holders.ts';
import { walletLinksStolen } from './classes/faces/wallet-links.ts';
import { walletLinksPassedOn } from './classes/faces/wallet-links-passed-on.ts';
import { walletsForged } from './classes/faces/wallets.ts';
import { handoffBoxesForged, stepsNotCarried } from './classes/handoff/boxes.ts';
import { facesCarried } from './classes/handoff/carried-faces.ts';
import { handoffCodesGuessed, handoffNumbersWrong, handoffsNotAllowed, thirdDevices } from './classes/handoff/codes.ts';
import { handoffCodesExpired } from './classes/handoff/expired-codes.ts';
import { handoffHijack, passkeysOfPhotosHandedOn, returnCodesGuessed } from './classes/handoff/hijack.ts';
import { bareKeyOnPeople } from './classes/keys/bare-key-on-people.ts';
import { clientSecretMissing, clientSecretWrong } from './classes/keys/client-credentials.ts';
import { idsGuessed } from './classes/keys/ids-guessed.ts';
import { keysGuessed } from './classes/keys/keys-guessed.ts';
import { oldDataKeys } from './classes/keys/old-data-keys.ts';
import { sealedFieldsForged } from './classes/node/node-encryption.ts';
import { oddVectors } from './classes/node/odd-vectors.ts';
import { callbacksInside } from './classes/outbound/callbacks.ts';
import { callbacksRedirected } from './classes/outbound/redirects.ts';
import { bodyBombs, prototypesPoisoned } from './classes/requests/bodies.ts';
import { bodiesSlow } from './classes/requests/bodies-slow.ts';
import { rowsLost, uploadsBroken } from './classes/requests/csv.ts';
import { nonsenseEverywhere } from './classes/requests/fuzz.ts';
import { headerInjection } from './classes/requests/headers.ts';
import { announcementsHeld, socketsSilent } from './classes/requests/held-connections.ts';
import { idempotencyKeyReused } from './classes/requests/idempotency.ts';
import { otherOrigins } from './classes/requests/other-origins.ts';
import { pathTricks, requestSmuggling } from './classes/requests/paths.ts';
import { redirectSchemes } from './classes/requests/redirects.ts';
import { importsBroken, subjectsHostile } from './classes/screening/subjects.ts';
import { turnsUnfair } from './classes/screening/turns.ts';
import { decisionsOnOtherEntries, watchedOfOthers } from './classes/screening/watched-of-others.ts';
import { yenteKeysMadeUp } from './classes/screening/yente-keys.ts';
import { resultsForged, testResultsAsLive } from './classes/signed/forged-results.ts';
import { anotherCustomer } from './classes/worlds/another-customer.ts';
import { idempotencyAcrossWorlds } from './classes/worlds/idempotency-across-worlds.ts';
import { liveKeyInTestMode } from './classes/worlds/live-key-in-test-mode.ts';
import { testKeyOnLiveDeliveries } from './classes/worlds/test-key-on-live-deliveries.ts';
import { testKeyOnLiveFaces } from './classes/worlds/test-key-on-live-faces.ts';
import { testKeyOnLivePeople } from './classes/worlds/test-key-on-live-people.ts';
import { testKeyOnLiveSessions } from './classes/worlds/test-key-on-live-sessions.ts';

interface Chapter {
  title: string;
  classes: readonly AttackClass[];
}

export const CHAPTERS: readonly Chapter[] = [
  {
    title: 'Keys, customers, worlds',
    classes: [
      ...[keysGuessed, clientSecretMissing, clientSecretWrong, bareKeyOnPeople, idsGuessed],
      ...[anotherCustomer, liveKeyInTestMode, testKeyOnLiveSessions, testKeyOnLivePeople],
      ...[testKeyOnLiveFaces, testKeyOnLiveDeliveries, idempotencyAcrossWorlds],
      ...[resultsForged, testResultsAsLive, oldDataKeys],
    ],
  },
  {
    title: 'The device of a session',
    classes: [
      ...[signaturesForged, signaturesReplayed, foreignDevice, reportsRewritten, answersOfAnother, answersAltered],
      ...[
        plansForged,
        coursesOutOfPlan,
        lightMadeUp,
        lightDodged,
        lightInNoTime,
        cameraNotAsked,
        answersOfAnotherSize,
        answersAfterTheEnd,
        stepUpDodged,
        fasterThanPeople,
        fasterThanPeopleAtEnrollment,
        fastEnrollmentsReturn,
        browserDataMissing,
        logsToldEarly,
        logsResubmitted,
        burstsFromOneAddress,
      ],
    ],
  },
  {
    title: 'From one device to another',
    classes: [
      ...[handoffCodesGuessed, handoffNumbersWrong, handoffsNotAllowed, thirdDevices, handoffBoxesForged],
      ...[handoffCodesExpired, facesCarried, stepsNotCarried, handoffHijack, returnCodesGuessed],
      passkeysOfPhotosHandedOn,
    ],
  },
  {
    title: 'Faces, devices, passkeys',
    classes: [
      ...[facesOfNobody, probesForged, probesReplayed, photographsOnNewDevices, enrollmentsParked],
      ownersPushedOut,
      ...[guessingBetweenSuccesses, guessingBehindHeaders, guessingAllAtOnce, lockedLooksAlike, ownersLockedOut],
      enrollmentsTellNothing,
      ...[
        enrollmentsFlooded,
        enrollmentsLeftOpen,
        peopleMadeUp,
        answersUsedUp,
        answersUsedUpByCrowds,
        customersLocked,
        vouchedCrowdedOut,
      ],
      ...[devicesOfOthers, passkeysForged, ageKeysForged, ageKeysUnearned, ageKeysFarmed, walletsForged],
      ...[walletLinksStolen, walletLinksPassedOn, oneTimeKeysAtBoth, guessesSplit],
    ],
  },
  {
    title: 'Screening and watching',
    classes: [watchedOfOthers, decisionsOnOtherEntries, subjectsHostile, importsBroken, yenteKeysMadeUp, turnsUnfair],
  },
  {
    title: 'Requests',
    classes: [
      ...[bodyBombs, bodiesSlow, prototypesPoisoned, redirectSchemes, headerInjection, idempotencyKeyReused],
      ...[
        pathTricks,
        requestSmuggling,
        otherOrigins,
        callbacksInside,
        callbacksRedirected,
        uploadsBroken,
        rowsLost,
        sealedFieldsForged,
      ],
      ...[announcementsHeld, socketsSilent, oddVectors, nonsenseEverywhere],
    ],
  },
];

export const ATTACK_CLASSES: readonly AttackClass[] = CHAPTERS.flatMap(({ classes }) => classes);
