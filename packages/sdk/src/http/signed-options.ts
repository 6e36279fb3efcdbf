// Calls whose answer can be signed.
import type { CallOptions } from './exchange.ts';

export interface SignedOptions extends CallOptions {
  /** The JWT instead of the object, for `verifyResult`; without `token`. */
  signed: true;
}

export interface ReceiptOptions extends CallOptions {
  /** A signed receipt, for `verifyReceipt`. After a lost answer it is lost as well: the repeated call rejects with 404. */
  receipt: true;
}
