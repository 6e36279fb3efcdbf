// The owners of work and memory that many share: each has an account, and accounts are of two classes.

export interface WorkOwner {
  /** Unique: no two owners share an account. */
  readonly id: string;
  /** Sends no API key and is no operator. Anybody can have many addresses, so strangers share one part as a class. */
  readonly isStranger: boolean;
}
