// What the first screen says of each kind of session: what happens, what stays on the device, what leaves it, what is kept.
import type { WelcomeScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import type { DrawingName } from '../drawings/drawing.tsx';

type KeyedFact = readonly [DrawingName, TextKey];

export function introOf(screen: WelcomeScreen): TextKey {
  const { operation, resumes, steps } = screen;
  const hasDocument = steps.includes('identity_document');
  if (resumes) return 'welcome.resume';
  if (operation === 'ENROLL') return hasDocument ? 'welcome.introEnrollDocument' : 'welcome.introEnroll';
  if (operation === 'SIGN-IN') return 'welcome.introSignIn';
  if (operation === 'VERIFY') return 'welcome.introVerify';
  if (!hasDocument) return 'welcome.intro';
  return steps.includes('face') ? 'welcome.introBoth' : 'welcome.introDocument';
}

export function needsOf({ steps }: WelcomeScreen): TextKey {
  return steps.includes('identity_document') ? 'welcome.needsDocument' : 'welcome.needs';
}

export function factsOf(screen: WelcomeScreen): readonly KeyedFact[] {
  return screen.operation === 'AGE' ? ageFacts(screen) : personFacts(screen);
}

function ageFacts({ steps, mayAskForDocument, sendsAge }: WelcomeScreen): readonly KeyedFact[] {
  if (!steps.includes('identity_document')) {
    return [
      ['lock', 'welcome.private'],
      ['send', sendsAge ? 'welcome.sentAge' : 'welcome.sent'],
      ...(mayAskForDocument ? [['document', 'welcome.maybeDocument'] as const] : []),
    ];
  }
  return [
    ['lock', 'welcome.privateDocument'],
    ['send', sendsAge ? 'welcome.sentDocumentAge' : 'welcome.sentDocument'],
    ...(steps.includes('face') ? [['face', 'welcome.sentMatchToo'] as const] : []),
  ];
}

function personFacts(screen: WelcomeScreen): readonly KeyedFact[] {
  const { operation, steps, sendsAge, contact, passkey } = screen;
  const enrols = operation === 'ENROLL';
  const hasDocument = steps.includes('identity_document');
  const facts: (KeyedFact | false)[] = [
    ...pictureFacts(screen, hasDocument),
    ['face', enrols ? 'welcome.keepsToken' : 'welcome.comparesToken'],
    !enrols && ['devices', 'welcome.remembers'],
    ['send', sendsAge ? 'welcome.sentFaceAge' : 'welcome.sentFace'],
    hasDocument && ['document', 'welcome.sentDocumentToo'],
    contact.length > 0 && ['contact', 'welcome.contact'],
    passkey && ['key', enrols ? 'welcome.passkeyMake' : 'welcome.passkeyUse'],
  ];
  return facts.filter((fact) => fact !== false);
}

/** Whether a photo goes to who asks is said first. */
function pictureFacts({ sharesSelfie }: WelcomeScreen, hasDocument: boolean): readonly KeyedFact[] {
  if (!sharesSelfie) return [['lock', hasDocument ? 'welcome.privateFaceDocument' : 'welcome.privateFace']];
  return [['camera', 'welcome.sharesSelfie'], ...(hasDocument ? [['lock', 'welcome.documentStays'] as const] : [])];
}
