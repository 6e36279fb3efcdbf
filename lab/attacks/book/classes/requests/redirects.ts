// URLs to which a person's browser must not be redirected, and callbacks that are not web URLs.
import { type AttackClass, expectHonest, inTurn } from '../../attack-class.ts';
import { verificationBody } from '../../host.ts';

const SCHEMES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://shop.example/1',
  'about:blank',
  'view-source:https://shop.example/',
  'filesystem:https://shop.example/x',
  '//shop.example/done',
  '/done',
  'shop.example',
  'https://',
  'https://user:password@shop.example/',
  'http://[::1',
  '',
];

export const redirectSchemes: AttackClass = {
  name: 'redirect-schemes',
  prevents: 'a redirect that runs a script or opens a file in the person’s browser',
  promise: 'docs/age-sessions.md',
  needs: 'a test key',
  refusals: ['400 validation_failed'],
  attempts: 100,
  async begin({ host }) {
    const { status } = await host.call('POST', '/session', { redirectUrl: 'https://shop.example/done' });
    expectHonest(status === 201, 'an https address is taken');
    return async (round) => {
      const url = inTurn(SCHEMES, Math.floor(round / 2));
      return round % 2 === 0
        ? (await host.call('POST', '/session', { redirectUrl: url })).label
        : (await host.call('POST', '/v2/verification-session', { ...verificationBody('ENROLL'), redirectURL: url }))
            .label;
    };
  },
};
