// The roles of operators.
export const ROLES = ['admin', 'reviewer', 'auditor', 'developer'] as const;
export type Role = (typeof ROLES)[number];
