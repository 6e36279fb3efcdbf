// Owners of shared work and memory. Each has an account, and accounts are of two classes.

export interface WorkOwner {
  /** Unique: no two owners share an account. */
  readonly id: string;
  /**
   * Whether the caller is neither an API key nor an operator. Such callers may have many addresses,
   * so they share one part.
   */
  readonly isStranger: boolean;
}
