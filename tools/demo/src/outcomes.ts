// Outcomes that can be simulated, and why some are impossible for a check.
import type {
  CreateAgeSessionRequest,
  SimulateAgeSessionRequest,
  SimulateVerificationSessionRequest,
} from '@limen/sdk';
import type { Operation } from './verification-options.ts';

type AgeOutcome = SimulateAgeSessionRequest['outcome'];
type VerificationOutcome = SimulateVerificationSessionRequest['outcome'];
export type Outcome = AgeOutcome | VerificationOutcome;

type AskedOfAge = Pick<
  CreateAgeSessionRequest,
  'requirements' | 'stepUpEnabled' | 'enableDesktop' | 'acceptedProofs'
> & { type?: never };
/** The relevant part of a check's request. */
export type Asked = AskedOfAge | { type: Operation };

type Proof = NonNullable<SimulateAgeSessionRequest['proof']>;

export interface Choice {
  outcome: Outcome;
  /** Proof that the person uses in place of the steps. */
  proof?: Proof;
  text: string;
  /**
   * The check's missing requirement, as the end of a sentence. Undefined if the outcome is
   * possible.
   */
  lacking: string | undefined;
}

const AGE_OUTCOMES: readonly (readonly [AgeOutcome, string])[] = [
  ['above', 'Old enough'],
  ['at', 'Exactly that age'],
  ['below', 'Too young'],
  ['spoof', 'A photo of a face'],
  ['face_mismatch', 'Someone else’s document'],
  ['document_failure', 'Unreadable document'],
  ['camera_failure', 'No camera'],
  ['desktop', 'Computer refused'],
  ['cancelled', 'Gives up'],
  ['expired', 'Expired'],
];

const PROOF_TEXTS: Readonly<Record<Proof, string>> = { wallet: 'Shows a wallet', age_key: 'Shows an age key' };

const RECOGNITION: Readonly<Record<Operation, readonly [success: string, failure: string]>> = {
  ENROLL: ['Enrolled', 'Face not taken'],
  'SIGN-IN': ['Recognised', 'Nobody known'],
  VERIFY: ['The right person', 'Somebody else'],
};

export function listOutcomes(asked: Asked): Choice[] {
  if (asked.type === undefined) {
    const { acceptedProofs = [] } = asked;
    return [
      ...AGE_OUTCOMES.map(([outcome, text]) => ({ outcome, text, lacking: lackingFor(outcome, asked) })),
      ...acceptedProofs.map((proof) => ({
        outcome: 'above' as const,
        proof,
        text: PROOF_TEXTS[proof],
        lacking: undefined,
      })),
    ];
  }
  const [success, failure] = RECOGNITION[asked.type];
  const outcomes: readonly (readonly [VerificationOutcome, string])[] = [
    ['success', success],
    ['not_recognized', failure],
    ['spoof', 'A photo of a face'],
    ['cancelled', 'Gives up'],
    ['expired', 'Expired'],
  ];
  return outcomes.map(([outcome, text]) => ({ outcome, text, lacking: undefined }));
}

function lackingFor(
  outcome: AgeOutcome,
  { requirements = ['face'], stepUpEnabled = false, enableDesktop = false }: AskedOfAge,
): string | undefined {
  const hasFace = requirements.includes('face');
  const hasDocument = stepUpEnabled || requirements.includes('identity_document');
  switch (outcome) {
    case 'spoof':
      return hasFace ? undefined : 'a face';
    case 'document_failure':
      return hasDocument ? undefined : 'a document';
    case 'face_mismatch':
      return hasFace && hasDocument ? undefined : 'a face and a document';
    case 'desktop':
      return enableDesktop ? '“Computers too” off' : undefined;
    default:
      return undefined;
  }
}
