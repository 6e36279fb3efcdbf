// Owners of shared work and memory. Each has an account, and accounts are of two classes.

export interface WorkOwner {
  /** Unique: no two owners share an account. */
  readonly id: string;
  /** Whether the owner has no API key and is no operator. Strangers can have many addresses, so they share one part. */
  readonly isStranger: boolean;
}
