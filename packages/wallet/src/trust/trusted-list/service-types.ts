// Which services of a trusted list count as issuers of a profile's attestations (ETSI TS 119 612, 5.5.1 and 5.5.4).
import type { ProfileId } from '../../profiles/profiles.ts';

const SERVICE = 'http://uri.etsi.org/TrstSvc/Svctype';
const STATUS = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus';

/** Issuing of attestations of attributes: qualified, by a public body, or neither. */
const ATTESTATIONS = [`${SERVICE}/EAA/Q`, `${SERVICE}/EAA/Pub-EAA`, `${SERVICE}/EAA`];

export const SERVICE_TYPES: Readonly<Record<ProfileId, readonly string[]>> = {
  eu_age: ATTESTATIONS,
  mdl: ATTESTATIONS,
};

/** Of a service that may be relied on today. */
export const GOOD_STATUSES: readonly string[] = [`${STATUS}/granted`, `${STATUS}/recognisedatnationallevel`];
