// The published vectors of the device protocol, shared by the tests of all sides.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DeviceOperation, LogEntry, PlanStep } from '../src/device.ts';

export interface SignedVector {
  name: string;
  method: 'GET' | 'POST';
  sessionId: string;
  operation: DeviceOperation;
  body?: string;
  bodyHex?: string;
  counter: number;
  text: string;
  signature: string;
}

interface SealedVector {
  name: string;
  planText: string;
  recipientPrivateKey: string;
  recipientPublicKey: string;
  ephemeralPrivateKey: string;
  ephemeralPublicKey: string;
  info: string;
  aad: string;
  answer: string;
  plaintext: string;
  envelope: string;
}

export interface BoxVector {
  name: string;
  sessionId: string;
  planHash: string;
  steps: number[];
  json: string;
  key: string;
  nonce: string;
  box: string;
  signedText: string;
  signature: string;
}

interface Vectors {
  signing: {
    privateKey: string;
    publicKey: string;
    publicKeyHex: string;
    signed: SignedVector[];
    refused: { name: string; text: string; signature: string }[];
  };
  planHash: { planText: string; hash: string }[];
  sealing: { sealed: SealedVector[]; refused: { name: string; envelope: string; reason: string }[] };
  padding: {
    accepted: { name: string; json: string; bytes: number; plaintext: string }[];
    refused: { name: string; plaintext: string }[];
    tooLong: { json: string };
  };
  logs: {
    plans: Record<string, PlanStep[]>;
    cases: {
      name: string;
      plan: string;
      carried?: number[];
      stepsDue: number[];
      cutShort: boolean;
      log: LogEntry[];
      legal: boolean;
      reason?: string;
    }[];
  };
  handoffBox: { deviceKey: string; sealed: BoxVector[]; refused: { name: string; change: Partial<BoxVector> }[] };
}

const file = resolve(import.meta.dirname, '../../../docs/device-protocol-vectors.json');

export const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors;
