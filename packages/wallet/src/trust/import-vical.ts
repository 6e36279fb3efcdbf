// Reads anchors from a VICAL, the list of issuing authorities of driving licenses (ISO/IEC
// 18013-5:2021, Annex C).
import { decodeCbor, isMap } from '../cbor/codec.ts';
import { readCertificateChain, readCose, verifySign1 } from '../cose/message.ts';
import { PROFILES, type ProfileId } from '../profiles/profiles.ts';
import { RefusalError } from '../refusals.ts';
import { AnchorError, readEntry, type TrustAnchor } from './anchors.ts';
import { trustChain } from './chain.ts';
import type { ImportedList } from './imported-list.ts';

export interface VicalOptions {
  profile: ProfileId;
  /** Authorities of the list's provider. They do not vouch for attestations. */
  providers: readonly TrustAnchor[];
  now: Date;
}

const BOUNDS = { maxBytes: 8_388_608, maxItems: 200_000 };
/** ISO/IEC 18013-5:2021, B.1.9: key usage of signers of authority lists. */
const VICAL_SIGNER = '1.0.18013.5.1.8';

/** Throws `AnchorError` with the reason if the list is not trustworthy. */
export async function importVical(bytes: Uint8Array, options: VicalOptions): Promise<ImportedList> {
  try {
    return await readList(await openVical(bytes, options), options);
  } catch (error) {
    if (error instanceof RefusalError) throw new AnchorError(`The list is not trustworthy: ${error.code}.`);
    throw error;
  }
}

async function openVical(bytes: Uint8Array, { providers, now }: VicalOptions): Promise<Map<unknown, unknown>> {
  const message = readCose(decodeCbor(bytes, BOUNDS));
  const chain = message && readCertificateChain(message);
  if (!message?.payload || !chain) throw new AnchorError('The file is not a signed VICAL.');
  const { certificate } = await trustChain(chain, providers, { oneOf: [VICAL_SIGNER] }, now);
  // VICALs contain only authorities of driving licenses.
  if (!verifySign1(message, message.payload, certificate.publicKey, PROFILES.mdl)) {
    throw new AnchorError('The signature of the list is invalid.');
  }
  const list = decodeCbor(message.payload, BOUNDS);
  if (!isMap(list)) throw new AnchorError('The list has no content.');
  return list;
}

async function readList(list: Map<unknown, unknown>, { profile, now }: VicalOptions): Promise<ImportedList> {
  const [issuedAt, nextUpdate, entries] = [list.get('date'), list.get('nextUpdate'), list.get('certificateInfos')];
  if (!(issuedAt instanceof Date) || !Array.isArray(entries)) throw new AnchorError('A part of the list is missing.');
  if (nextUpdate instanceof Date && nextUpdate < now) throw new AnchorError('The list is out of date.');
  const { docType } = PROFILES[profile];
  const named = entries.filter(isMap).filter((entry) => includes(entry.get('docType'), docType));
  const read = await Promise.all(named.map((entry) => readEntry(entry.get('certificate'), profile)));
  const anchors = read.filter((anchor) => anchor !== null);
  return {
    anchors,
    skipped: read.length - anchors.length,
    issuedAt,
    nextUpdate: nextUpdate instanceof Date ? nextUpdate : null,
  };
}

function includes(docTypes: unknown, docType: string): boolean {
  return Array.isArray(docTypes) && docTypes.includes(docType);
}
