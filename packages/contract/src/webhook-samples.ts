// Sample bodies of webhooks, as the service sent them for the fictional list `harbour_list`. A test compares them.

const ALERT = {
  id: '019b76da-a800-7015-85db-9e4855d0d311',
  subjectId: '019b76da-a800-7011-9717-de6bc9419cab',
  reference: 'customer-1071',
  hitId: 'f8b75c76-bd7d-40dc-9fbf-1176479cfaf2',
  dataset: 'harbour_list',
  list: 'harbour_list',
  listVersion: '20260101',
  entryHash: 'b51b007671531e404ab37cd632eb1612063a93e32f4d0e5512c6f686414a6a50',
  engineVersion: '0.1.0+38',
};

const AT = '2026-01-01T00:00:00.000Z';

const MATCH = {
  id: 'NK-1071',
  caption: 'Theodule Vergnaud',
  schema: 'Person',
  birthDate: ['1958-03-14'],
  countries: [],
  datasets: ['harbour_list'],
  topics: ['sanction'],
  programs: ['HARBOUR'],
  aliases: [],
  lastChange: null,
  nationalities: [],
  firstSeen: null,
  lastSeen: null,
  addresses: [],
  positions: [],
  identifiers: [],
  referents: [],
  matchedName: 'Theodule Vergnaud',
  score: 1,
  nameScore: 1,
  explanation: {
    name: {
      detail: 'Theodule: same; Vergnaud: same',
      query: 'Theodule Vergnaud',
      candidate: 'Theodule Vergnaud',
    },
    birthDate: {
      detail: 'same day',
      query: '1958-03-14',
      candidate: '1958-03-14',
    },
  },
};

const LATER_MATCH = {
  ...MATCH,
  ...{
    score: 0.9295,
    nameScore: 0.9295,
    explanation: {
      name: {
        detail: 'Theodule: same; Vergnaud: same',
        query: 'Theodule Vergnaud',
        candidate: 'Theodule Vergnaud',
      },
      birthDate: {
        detail: 'same day and month, birth year differs by 20, likely one digit',
        query: '1978-03-14',
        candidate: '1958-03-14',
      },
    },
  },
};

export const AGE_SESSION_SAMPLE = {
  token: '548840ca-2e81-4c42-80ab-85b75cd820a9',
  sessionId: '879532d1-01b6-4de2-856f-795bb4c9c895',
  sessionStatus: 'AGE_ABOVE_THRESHOLD',
  status: 'AGE_ABOVE_THRESHOLD',
  flowStatus: 'COMPLETED',
  result: {
    facialAgeEstimation: {
      thresholdResult: 'AGE_ABOVE_THRESHOLD',
    },
  },
  thresholds: {
    ageThreshold: 18,
    compareThreshold: 0.42,
    faceMatchThreshold: 0.42,
  },
  metadata: {
    order: 4711,
  },
  riskEvaluation: {
    score: 0,
    level: 'LOW',
    recommendation: 'ALLOW',
    flags: [],
    signals: {
      behavioral: {
        score: 0,
        flags: [],
      },
      browser: {
        score: 0,
        flags: [],
      },
    },
  },
  errors: [],
};

export const VERIFICATION_SAMPLE = {
  sessionId: '4c82a54f-4cee-4121-a852-35002b828e0c',
  transactionId: 'order-7',
  status: 'SUCCESS',
  message: 'Enrollment successful',
  puid: '8149ddaf-26a5-444c-901c-91c3bbddb35b',
  guid: 'b284c9a5-c894-4601-9a9a-d1619b79037b',
  identityInformation: {
    verificationDate: '1767225600000',
  },
  riskEvaluation: {
    score: 0,
    level: 'LOW',
    recommendation: 'ALLOW',
    flags: [],
    signals: {
      behavioral: null,
      browser: {
        score: 0,
        flags: [],
      },
    },
  },
  errors: [],
};

export const VERIFICATION_FAILURE_SAMPLE = {
  status: 'error',
  message: 'Face authentication failed',
  errorCodes: [153],
  sessionId: '188629fb-71ca-4592-9997-88aa760a4797',
  transactionId: 'order-7',
};

export const NEW_HIT_SAMPLE = { event: 'screening.hit.new', ...ALERT, match: MATCH, at: AT };

export const CHANGED_HIT_SAMPLE = {
  event: 'screening.hit.changed',
  ...ALERT,
  match: LATER_MATCH,
  before: {
    score: 1,
    entryHash: 'b51b007671531e404ab37cd632eb1612063a93e32f4d0e5512c6f686414a6a50',
    listVersion: '20260101',
    engineVersion: '0.1.0+38',
  },
  because: ['strength', 'subject'],
  at: AT,
};

export const REMOVED_HIT_SAMPLE = {
  event: 'screening.hit.removed',
  ...ALERT,
  match: LATER_MATCH,
  because: ['subject'],
  at: AT,
};
