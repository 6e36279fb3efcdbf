// Official lists of authorities that are known by name: where they are and how they are written. Whom they are signed by is
// for the operator to find out from a source that they trust.
import type { ProfileId } from '@limen/wallet';
import type { TrustListFormat } from './list.ts';

export interface KnownTrustList {
  name: string;
  title: string;
  profile: ProfileId;
  format: TrustListFormat;
  url: string;
  /** Where its provider says which certificate it signs with. */
  providerAt: string;
}

export const KNOWN_TRUST_LISTS: readonly KnownTrustList[] = [
  {
    name: 'us_aamva',
    title: 'North America: issuing authorities of mobile driving licences (AAMVA Digital Trust Service)',
    profile: 'mdl',
    format: 'vical',
    url: 'https://vical.dts.aamva.org/vical/vc',
    providerAt: 'https://vical.dts.aamva.org/certificates/ca',
  },
];
