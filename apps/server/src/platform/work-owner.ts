// Whom work and memory count for where many share them: each has an account of its own, and accounts are of two classes.

export interface WorkOwner {
  /** Of the account; no two owners share it. */
  readonly id: string;
  /** Sends no API key and is no operator. Anybody can have many addresses, so strangers share one part as a class. */
  readonly isStranger: boolean;
}
