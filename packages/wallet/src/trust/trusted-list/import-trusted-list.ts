// Reads anchors from a European trusted list (ETSI TS 119 612): XML, signed by the list's operator.
import type { ProfileId } from '../../profiles/profiles.ts';
import { AnchorError, readEntry, readSigners } from '../anchors.ts';
import type { ImportedList } from '../imported-list.ts';
import { readSignedXml } from './read-signed-xml.ts';
import { findByPath, findOne, readElementText, type XmlElement } from './read-xml.ts';

/** Service types of a profile's issuers (ETSI TS 119 612, 5.5.1 and 5.5.4). */
const SERVICE = 'http://uri.etsi.org/TrstSvc/Svctype';
const STATUS = 'http://uri.etsi.org/TrstSvc/TrustedList/Svcstatus';

/** Issuing of attestations of attributes: qualified, by a public body, or neither. */
const ATTESTATIONS = [`${SERVICE}/EAA/Q`, `${SERVICE}/EAA/Pub-EAA`, `${SERVICE}/EAA`];

const SERVICE_TYPES: Readonly<Record<ProfileId, readonly string[]>> = {
  eu_age: ATTESTATIONS,
  mdl: ATTESTATIONS,
};

/** Status of a service that may be relied on today. */
const GOOD_STATUSES: readonly string[] = [`${STATUS}/granted`, `${STATUS}/recognisedatnationallevel`];

export interface TrustedListOptions {
  profile: ProfileId;
  /** PEM certificates, one of which must have signed the list. */
  signers: string;
  now: Date;
  /** `ServiceTypeIdentifier` values that replace the profile's own. */
  serviceTypes?: readonly string[];
}

const TSL = 'http://uri.etsi.org/02231/v2#';
const SERVICES = [
  'TrustServiceProviderList',
  'TrustServiceProvider',
  'TSPServices',
  'TSPService',
  // Ignores `ServiceHistory`, the former states of a service.
  'ServiceInformation',
];

/** Throws `AnchorError` with the reason if the list is not trustworthy. */
export async function importTrustedList(bytes: Uint8Array, options: TrustedListOptions): Promise<ImportedList> {
  const { profile, now, serviceTypes = SERVICE_TYPES[profile] } = options;
  const signers = await readSigners(options.signers);
  const inForce = signers.filter(({ notBefore, notAfter }) => notBefore <= now && now <= notAfter);
  if (inForce.length === 0) throw new AnchorError('The certificates of the list’s provider are not valid today.');
  const list = await readSignedXml(
    bytes,
    inForce.map(({ publicKey }) => publicKey.key),
  );
  if (list.uri !== TSL || list.local !== 'TrustServiceStatusList') {
    throw new AnchorError('The signed content is not a trusted list.');
  }
  const { issuedAt, nextUpdate } = readDates(list, now);
  const services = findByPath(list, TSL, ...SERVICES).filter((service) => isInForce(service, serviceTypes, now));
  const certificates = services
    .flatMap((service) => findByPath(service, TSL, 'ServiceDigitalIdentity', 'DigitalId', 'X509Certificate'))
    .map((certificate) => readElementText(certificate).replaceAll(/\s/g, ''));
  const read = await Promise.all(
    [...new Set(certificates)].map((base64) => readEntry(Buffer.from(base64, 'base64'), profile)),
  );
  const anchors = read.filter((anchor) => anchor !== null);
  return { anchors, skipped: read.length - anchors.length, issuedAt, nextUpdate };
}

function readDates(list: XmlElement, now: Date): { issuedAt: Date; nextUpdate: Date } {
  const issuedAt = readDate(findOne(list, TSL, 'SchemeInformation', 'ListIssueDateTime'));
  if (!issuedAt) throw new AnchorError('The list has no date.');
  // TS 119 612, 5.3.15: a list without it was closed and has no successor.
  const nextUpdate = readDate(findOne(list, TSL, 'SchemeInformation', 'NextUpdate', 'dateTime'));
  if (!nextUpdate) throw new AnchorError('The list was closed by its operator.');
  if (nextUpdate < now) throw new AnchorError('The list is out of date.');
  return { issuedAt, nextUpdate };
}

function isInForce(service: XmlElement, serviceTypes: readonly string[], now: Date): boolean {
  const [type, status] = ['ServiceTypeIdentifier', 'ServiceStatus'].map((name) =>
    readElementText(findOne(service, TSL, name)),
  );
  const since = readDate(findOne(service, TSL, 'StatusStartingTime'));
  return serviceTypes.includes(type ?? '') && GOOD_STATUSES.includes(status ?? '') && since !== null && since <= now;
}

function readDate(element: XmlElement | undefined): Date | null {
  const date = new Date(readElementText(element));
  return Number.isNaN(date.getTime()) ? null : date;
}
