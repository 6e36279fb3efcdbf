// Keeps the places of migrations that were put off: those that contract are the last of their release, and others came after them.
import type { Migration } from './migration.ts';

const keepPlace = (name: string): Migration => ({ name, phase: 'expand', up: async () => {} });

export const nothingYet = keepPlace('0035-no-whole-vectors');
export const nothingStill = keepPlace('0037-no-whole-vectors');
export const noBlocksYet = keepPlace('0038-blocks-anew');
export const nothingAgain = keepPlace('0045-no-whole-vectors');
export const noBlocksAgain = keepPlace('0046-blocks-anew');
