import { CANCEL_CODES } from '@limen/plan';
import { expect, test } from 'vitest';
import { ASKS } from '../../../testing/fakes/fake-device-client.ts';
import type { HandoffScreen, PasskeyScreen, Problem, Screen, WelcomeScreen } from '../../course/screens.ts';
import { getCancelCode } from './cancel-code.ts';

const WELCOME: WelcomeScreen = {
  name: 'welcome',
  ...ASKS,
  minutesLeft: 5,
  memory: 'none',
  colours: null,
  resumes: false,
  phoneOnly: false,
  canUsePhone: true,
  busy: false,
  ways: [],
  canLinkWallet: false,
  proving: null,
  note: null,
};
const HANDOFF: HandoffScreen = {
  name: 'handoff',
  reason: 'chosen',
  url: '',
  number: '42',
  minutesLeft: 5,
  state: 'code',
  followed: 'waiting',
  canGoBack: true,
};
const DOCUMENT_CAPTURE: Screen = {
  name: 'document_capture',
  kind: 'card',
  side: 'zone',
  prompt: 'scan.fitZone',
  tone: 'do',
  paused: false,
  progress: { number: 1, total: 1, share: 0 },
};
const passkey = (state: PasskeyScreen['state']): Screen => ({
  name: 'passkey',
  operation: 'assert',
  state,
  canUsePhone: true,
});
const problem = (name: Problem): Screen => ({ name: 'problem', problem: name, canRetry: true, canUsePhone: true });

test.each<[Screen, number | undefined]>([
  [{ name: 'opening' }, undefined],
  [WELCOME, undefined],
  [{ ...WELCOME, phoneOnly: true }, -5],
  [{ name: 'permission', state: 'explain' }, undefined],
  [{ name: 'permission', state: 'asking' }, undefined],
  [{ name: 'permission', state: 'refused' }, -7],
  [{ name: 'permission', state: 'missing' }, -7],
  [{ name: 'permission', state: 'busy' }, -7],
  [{ name: 'permission', state: 'insecure' }, -7],
  [{ name: 'permission', state: 'unplugged' }, -7],
  [{ name: 'loading', share: 0.5 }, undefined],
  [{ name: 'capture', prompt: 'guide.oval', tone: 'wait', progress: null, paused: false }, undefined],
  [{ name: 'working', doing: 'sending', offline: true }, undefined],
  [problem('dark'), -10],
  [problem('faces'), -11],
  [problem('scan'), -22],
  [problem('unplugged'), -7],
  [problem('models'), -20],
  [problem('broken'), -20],
  [problem('unsupported'), -20],
  [problem('unexpected'), -22],
  [problem('unavailable'), undefined],
  [problem('full'), undefined],
  [{ name: 'not_recognized', triesLeft: 2, isEnrolment: false }, 153],
  [{ name: 'not_recognized', triesLeft: 2, isEnrolment: true }, 152],
  [{ name: 'wait', minutesLeft: 2, isEnrolment: false }, 153],
  [{ name: 'wait', minutesLeft: 2, isEnrolment: true }, 152],
  [passkey('explain'), undefined],
  [passkey('closed'), undefined],
  [passkey('refused'), 154],
  [passkey('unsupported'), 154],
  [{ name: 'contact', fields: ['email'], faults: [] }, undefined],
  [HANDOFF, undefined],
  [{ ...HANDOFF, reason: 'desktop' }, -5],
  [{ name: 'stopped', why: 'elsewhere' }, undefined],
  [{ name: 'document', isStepUp: false, canUsePhone: true }, undefined],
  [{ name: 'document_hold', kind: 'card', side: 'zone', mayUseFile: true, canUsePhone: true }, undefined],
  [DOCUMENT_CAPTURE, undefined],
  [{ name: 'document_problem', problem: 'expired', triesLeft: 2 }, -23],
  [{ name: 'document_problem', problem: 'unusable_file', triesLeft: 3 }, undefined],
  [{ name: 'permission', state: 'missing', document: { mayUseFile: true } }, -7],
  [{ name: 'end', how: 'done', redirectUrl: null }, undefined],
])('giving up at %o reports %s to the host, a code that a device may send', (screen, code) => {
  expect(getCancelCode(screen, false)).toBe(code);
  if (code !== undefined) expect(CANCEL_CODES).toContain(code);
});

test.each<[Screen, number | undefined]>([
  [{ name: 'document', isStepUp: false, canUsePhone: true }, -23],
  [{ name: 'document_hold', kind: 'card', side: 'zone', mayUseFile: true, canUsePhone: true }, -23],
  [DOCUMENT_CAPTURE, -23],
  [{ name: 'document_problem', problem: 'expired', triesLeft: 2 }, -23],
  [{ name: 'document_problem', problem: 'unusable_file', triesLeft: 2 }, -23],
  [{ name: 'loading', share: null, of: 'identity_document' }, -23],
  [{ name: 'permission', state: 'asking' }, -23],
  [{ name: 'working', doing: 'reading', offline: false }, -23],
  [{ name: 'working', doing: 'sending', offline: true }, undefined],
  [{ name: 'permission', state: 'busy' }, -7],
  [problem('unplugged'), -7],
  [HANDOFF, undefined],
  [WELCOME, undefined],
])('after a failed document try, giving up at %o reports %s to the host', (screen, code) => {
  expect(getCancelCode(screen, true)).toBe(code);
});
