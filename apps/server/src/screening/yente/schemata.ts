// The schemas of FollowTheMoney, with the parents of those that occur in lists.
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

/** Schemas of events, relations and documents, which do not occur in lists. */
const NEVER_LISTED = new Set(
  `
  Analyzable Article Assessment Associate Audio Call CallForTenders Contract ContractAward Control CourtCase
  CourtCaseParty Debt Directorship Document Documentation EconomicActivity Email Employment Event Family Folder
  HyperText Identification Image Interest Interval License Membership Mention Message Note Occupancy Ownership
  Package Page Pages Passport Payment Permit PlainText Position Post Project ProjectParticipant Representation
  Risk Sanction Similar Succession Table TaxRoll Territory Trip UnknownLink UserAccount Value Video Workbook
`
    .trim()
    .split(/\s+/),
);

export function isSchema(name: string): boolean {
  return isListed(name) || NEVER_LISTED.has(name);
}

/** Whether an entity of a list may have this schema. */
export function isListed(name: string): boolean {
  return Object.hasOwn(PARENTS, name);
}

/** Returns the schema and its descendants. */
export function listKinds(schema: string): string[] {
  if (!isListed(schema)) return [schema];
  const isKind = (name: string): boolean => name === schema || (PARENTS[name] ?? []).some(isKind);
  return Object.keys(PARENTS).filter(isKind);
}
