// The key-holder's arithmetic, as the service uses it; tests may put a small fake in its place.
import * as keyholder from '@limen/token/keyholder';

export type Maths = Pick<
  typeof keyholder,
  | 'makeKeyPair'
  | 'openKey'
  | 'wipeKey'
  | 'scoreRows'
  | 'checkShape'
  | 'reencrypt'
  | 'checkBalance'
  | 'foldMaskedProbe'
  | 'wipeProbeSecret'
  | 'scoreBlocks'
  | 'packBlock'
  | 'makeIdentity'
  | 'signChallenge'
>;

export const realMaths: Maths = keyholder;
