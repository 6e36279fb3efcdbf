// Describes an unverified certificate revocation list, for storage as a file.
import { RefusalError } from '../refusals.ts';
import { AnchorError } from '../trust/anchors.ts';
import { loadX509 } from '../trust/certificate.ts';
import { readCrl } from './read-crl.ts';
import { readIssuer } from './verify-revocation.ts';

export interface CrlDescription {
  /** Name of its authority: the bytes in hex, as certificates are compared. */
  issuer: string;
  /** Readable name of its authority. */
  name: string;
  thisUpdate: Date;
  /** Null if the list does not name its URL. */
  nextUpdate: Date | null;
  /** Number of listed certificates. */
  revoked: number;
}

/** Throws `AnchorError` if the bytes are no such list. */
export async function describeCrl(bytes: Uint8Array): Promise<CrlDescription> {
  try {
    const { issuer, thisUpdate, nextUpdate, serials } = readCrl(bytes);
    const { Name } = await loadX509();
    const name = new Name(Uint8Array.from(issuer)).toString();
    return { issuer: await readIssuer(issuer), name, thisUpdate, nextUpdate, revoked: serials.size };
  } catch (error) {
    if (error instanceof RefusalError) throw new AnchorError('The file contains no certificate revocation list.');
    throw error;
  }
}
