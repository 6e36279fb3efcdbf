// The schemas of FollowTheMoney that can be asked for, and which are kinds of which.
const PARENTS: Readonly<Record<string, readonly string[]>> = {
  Thing: [],
  LegalEntity: ['Thing'],
  Person: ['LegalEntity'],
  Organization: ['LegalEntity'],
  PublicBody: ['Organization'],
  Company: ['Organization', 'Asset'],
  Asset: ['Thing'],
  Vehicle: ['Asset'],
  Vessel: ['Vehicle'],
  Airplane: ['Vehicle'],
  RealEstate: ['Asset'],
  Security: ['Asset'],
  BankAccount: ['Asset'],
  CryptoWallet: ['Thing'],
  Address: ['Thing'],
};

export function isSchema(name: string): boolean {
  return Object.hasOwn(PARENTS, name);
}

/** It and all that are kinds of it. */
export function kindsOf(schema: string): string[] {
  const isKind = (name: string): boolean => name === schema || (PARENTS[name] ?? []).some(isKind);
  return Object.keys(PARENTS).filter(isKind);
}
