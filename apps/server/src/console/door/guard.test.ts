// Limits how many refusals are audited.
import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { named } from '../../platform/base/ids.ts';
import type { Operator } from '../../records/audit/acts.ts';
import type { AuditedAct } from '../../records/audit/log.ts';
import { createRefusals } from './guard.ts';

const ADA: Operator = { id: named('ada'), name: 'Ada', role: 'reviewer' };
const GRACE: Operator = { id: named('grace'), name: 'Grace', role: 'admin' };
const REQUEST = { ip: '192.0.2.7', socket: {} } as FastifyRequest;

function start() {
  const written: AuditedAct[] = [];
  let at = 0;
  const refusals = createRefusals({ write: async (entry) => void written.push(entry) }, () => at);
  const wait = (ms: number) => {
    at += ms;
  };
  const told = (name: string) => written.filter(({ operator }) => operator.name === name).map(({ about }) => about);
  return { ...refusals, wait, told };
}

it('counts omitted sign-in lines per operator, and for all strangers together', async () => {
  const { noteEntry, wait, told } = start();
  for (let nth = 0; nth < 100; nth += 1) await noteEntry(undefined, REQUEST, 'sign-in');
  await noteEntry(ADA, REQUEST, 'sign-in');
  expect(told('somebody unknown')).toHaveLength(30);
  expect(told('Ada')).toEqual(['sign-in']);
  wait(60_000);
  for (let nth = 0; nth < 2; nth += 1) await noteEntry(undefined, REQUEST, 'invite');
  expect(told('somebody unknown').slice(30)).toEqual(['invite, after 70 more']);
});

it('refuses an operator after too many refusals without affecting others', async () => {
  const { noteCall, wait, told } = start();
  for (let nth = 0; nth < 60; nth += 1) await noteCall(ADA, REQUEST, 'a call');
  await expect(noteCall(ADA, REQUEST, 'a call')).rejects.toMatchObject({ code: 'too_many_requests' });
  await noteCall(GRACE, REQUEST, 'a call');
  wait(10_000);
  await noteCall(ADA, REQUEST, 'a call');
  expect([told('Ada').length, told('Grace').length]).toEqual([61, 1]);
});
