// What a list of revoked certificates says of itself, for whoever keeps it as a file. Nothing of it is believed yet.
import { RefusalError } from '../refusals.ts';
import { AnchorError } from '../trust/anchors.ts';
import { loadX509 } from '../trust/certificate.ts';
import { readCrl } from './read-crl.ts';
import { readIssuer } from './verify-revocation.ts';

export interface CrlDescription {
  /** Of its authority: the bytes in hex, as certificates are compared by. */
  issuer: string;
  /** The same for people. */
  name: string;
  thisUpdate: Date;
  /** Null for one that does not say, and is not taken for that. */
  nextUpdate: Date | null;
  /** How many certificates it lists. */
  revoked: number;
}

/** Throws `AnchorError` where it is none. */
export async function describeCrl(bytes: Uint8Array): Promise<CrlDescription> {
  try {
    const { issuer, thisUpdate, nextUpdate, serials } = readCrl(bytes);
    const { Name } = await loadX509();
    const name = new Name(Uint8Array.from(issuer)).toString();
    return { issuer: await readIssuer(issuer), name, thisUpdate, nextUpdate, revoked: serials.size };
  } catch (error) {
    if (error instanceof RefusalError) throw new AnchorError('There is no list of revoked certificates in the file.');
    throw error;
  }
}
