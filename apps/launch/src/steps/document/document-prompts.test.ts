import { expect, test } from 'vitest';
import { seeSide } from '../../../testing/fakes/fake-documents.ts';
import type { DocumentAdvice } from '../../document/kinds.ts';
import { createDocumentPrompter } from './document-prompts.ts';

const start = () => createDocumentPrompter('card', ['portrait', 'zone'], 'portrait');

test('shows what to fit into the frame, and the number of the side', () => {
  const prompter = start();
  expect(prompter.first()).toMatchObject({
    prompt: 'scan.fitPortrait',
    tone: 'wait',
    progress: { number: 1, total: 2 },
  });
  expect(prompter.screen(seeSide('portrait', { advice: 'none_seen' }), 0)).toMatchObject({
    name: 'document_capture',
    kind: 'card',
    side: 'portrait',
    prompt: 'scan.fitPortrait',
    tone: 'do',
  });
});

test.each<[DocumentAdvice, string]>([
  ['closer', 'scan.closer'],
  ['farther', 'scan.farther'],
  ['edges', 'scan.edges'],
  ['glare', 'scan.glare'],
  ['blur', 'scan.blur'],
  ['dark', 'guide.tooDark'],
])('shows a fault after two frames in a row: %s', (advice, prompt) => {
  const prompter = start();
  expect(prompter.screen(seeSide('portrait', { advice }), 0).prompt).toBe('scan.fitPortrait');
  expect(prompter.screen(seeSide('portrait', { advice }), 300)).toMatchObject({ prompt, tone: 'fix' });
  expect(prompter.screen(seeSide('portrait'), 600).prompt).toBe('scan.fitPortrait');
});

test('praises a well-held document', () => {
  const screen = start().screen(seeSide('portrait', { progress: 0.5 }), 0);
  expect(screen).toMatchObject({ prompt: 'scan.holdStill', tone: 'good', progress: { share: 0.5 } });
});

test('shows praise after a side, then the turn, then the second side', () => {
  const prompter = start();
  prompter.screen(seeSide('portrait', { progress: 0.7 }), 0);
  const at = (time: number) => prompter.screen(seeSide('zone', { advice: 'blur' }), time);
  expect(at(1_000)).toMatchObject({ prompt: 'scan.gotIt', tone: 'good', side: 'zone', progress: { number: 2 } });
  expect(at(2_199).prompt).toBe('scan.gotIt');
  expect(at(2_200)).toMatchObject({ prompt: 'scan.turnOver', tone: 'do' });
  expect(at(6_000).prompt).toBe('scan.blur');
  expect(prompter.screen(seeSide('zone'), 6_100).prompt).toBe('scan.fitZone');
});

test('skips the turn prompt if the document is already turned over', () => {
  const prompter = start();
  prompter.screen(seeSide('zone'), 0);
  expect(prompter.screen(seeSide('zone', { progress: 0.25 }), 1_300).prompt).toBe('scan.holdStill');
});
