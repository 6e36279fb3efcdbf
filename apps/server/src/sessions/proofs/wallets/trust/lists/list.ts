// A list of authorities as a source of anchors: where it is, who signs it, and when it was last looked at.
import { isProfileId, type ProfileId } from '@limen/wallet';

export const TRUST_LIST_FORMATS = ['vical', 'eu_trusted_list'] as const;
export type TrustListFormat = (typeof TRUST_LIST_FORMATS)[number];

export interface TrustListSource {
  name: string;
  profile: ProfileId;
  format: TrustListFormat;
  url: string;
  /** PEM: whom the list must be signed by. */
  provider: string;
  /** Service types that count, in place of the profile's own; for `eu_trusted_list` only. */
  serviceTypes?: readonly string[];
}

export interface TrustList extends TrustListSource {
  /** As it was when the operator chose the address: whether it is in a private network. */
  allowPrivate: boolean;
  /** Fingerprints of authorities that the operator does not trust, whatever the list says. */
  without: readonly string[];
  /** When it was last fetched and found good. */
  checkedAt: string;
  issuedAt: string;
  nextUpdate: string | null;
}

/** Something about a list that the operator is told in a sentence. */
export class TrustListError extends Error {
  override readonly name = 'TrustListError';
}

/** A name is a part of file names. */
export function requireListName(name: string): void {
  if (/^[a-z0-9_]{1,64}$/.test(name)) return;
  throw new TrustListError('The name of a list has 1 to 64 of these characters: a to z, 0 to 9, _ (such as us_aamva).');
}

/** How lists of a profile are written, where nothing else is said. */
export const USUAL_FORMATS: Readonly<Record<ProfileId, TrustListFormat>> = { eu_age: 'eu_trusted_list', mdl: 'vical' };

/** Undefined for what is none, or not one of this version. */
export function parseTrustList(text: string): TrustList | undefined {
  try {
    const read = JSON.parse(text) as Partial<TrustList> | null;
    const texts = [read?.name, read?.url, read?.provider, read?.checkedAt, read?.issuedAt];
    const isList =
      texts.every((one) => typeof one === 'string') &&
      isProfileId(read?.profile) &&
      TRUST_LIST_FORMATS.some((format) => format === read?.format) &&
      typeof read?.allowPrivate === 'boolean' &&
      Array.isArray(read.without);
    return isList ? (read as TrustList) : undefined;
  } catch {
    return undefined;
  }
}
