// The published form of the contract's types.
import { expect, it } from 'vitest';
import { renderContractTypes } from './render-contract-types.ts';

it('writes the requested types and their references, with descriptions', () => {
  const module = renderContractTypes(['StringPage']);
  expect(module).toContain(`export type StringPage = {
  /** Newest first. */
  strings: Array<StringRecord>;
  /** Opaque cursor of the next page. Absent on the last page. */
  nextCursor?: string;
};`);
  expect(module.match(/^export type \w+/gm)).toEqual(['export type StringPage', 'export type StringRecord']);
});

it('writes unions, records and the error codes', () => {
  const module = renderContractTypes(['Readiness', 'ErrorCode']);
  expect(module).toContain('status: "ready" | "not ready";');
  expect(module).toContain('checks: Record<string, string>;');
  expect(module).toMatch(/^export type ErrorCode = "malformed_request" \| .*"store_full" \| "disk_full";$/m);
});

it('writes enumerations, tuples and free objects', () => {
  const module = renderContractTypes(['CreateAgeSessionRequest', 'ReportRequest']);
  expect(module).toContain('requirements?: Array<"face" | "identity_document" | "wallet_proof">;');
  expect(module).toContain('metadata?: Record<string, unknown>;');
  expect(module).toContain(
    'entries: Array<readonly ["started" | "shown" | "done" | "asked" | "answered" | "lit" | "stopped" | "retried" | "finished" | "carried", number, number]>;',
  );
});

it('writes webhook bodies by event', () => {
  const module = renderContractTypes(['WebhookBodies']);
  expect(module).toContain('  "verification_session.ended": VerificationWebhook | VerificationFailure;\n');
  expect(module).toContain('export type VerificationFailure = {');
});

it('rejects types that the contract lacks', () => {
  expect(() => renderContractTypes(['NoSuchType'])).toThrow('The contract has no schema that is called NoSuchType.');
});
