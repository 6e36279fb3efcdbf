// Implements the actions. The transition table decides which of them a screen has.
import type { LogEntry } from '@limen/plan';
import type { Actions } from '../course/screens.ts';
import { guardActions } from '../course/transitions.ts';
import { hasFailedTry } from '../course/tries.ts';
import type { Explainer } from './camera/explain-camera.ts';
import type { PeopleMemory } from './check/recall-people.ts';
import type { ColorChoice } from './colour-choice.ts';
import type { PhoneWatch } from './handoff/follow-phone.ts';
import type { Proofs } from './proofs/show-proof.ts';
import { getCancelCode } from './session/cancel-code.ts';
import type { SessionClaim } from './session/claim-session.ts';
import type { GiveUp } from './session/give-up.ts';
import type { SendBack } from './session/send-back.ts';
import type { Welcome } from './session/show-welcome.ts';
import type { Stage } from './stage.ts';
import type { PersonInput } from './waiting/person-input.ts';
import type { RunningWork } from './work.ts';

interface ActionParts {
  stage: Stage;
  work: RunningWork;
  input: PersonInput;
  offers: {
    welcome: Welcome;
    explainer: Explainer;
    memory: PeopleMemory;
    colours: Pick<ColorChoice, 'leaveOut'>;
    proofs: Pick<Proofs, 'show' | 'linkWallet' | 'chooseProfile'>;
  };
  session: {
    claiming: SessionClaim;
    giveUp: GiveUp;
    sendBack: SendBack;
    keepAge: Actions['keepAge'];
    log(): readonly LogEntry[];
  };
  goOn: Pick<PhoneWatch, 'renewCode'> & { capture(): void; usePhone(): void; retry(): void };
}

export function createActions(parts: ActionParts): Actions {
  const { stage, work, input, goOn } = parts;
  const { welcome, explainer, memory, colours: colors, proofs } = parts.offers;
  const { claiming, giveUp, sendBack } = parts.session;
  const actions: Actions = {
    start() {
      welcome.show({ busy: true });
      claiming.dropPlan();
      goOn.capture();
    },
    useProof: proofs.show,
    linkWallet: proofs.linkWallet,
    chooseProfile: proofs.chooseProfile,
    keepAge() {
      sendBack.notByItself();
      parts.session.keepAge();
    },
    deleteAgeKey: () => undefined, // only on the age key page
    askForCamera() {
      const { screen } = stage.state();
      if (screen.name === 'permission' && screen.state === 'explain') explainer.goOn();
      else if (screen.name === 'permission' && screen.document) input.document.put({ choice: 'camera' });
      else goOn.capture();
    },
    retry: goOn.retry,
    chooseDocument: (kind) => input.document.put({ choice: 'kind', kind }),
    otherDocument: () => input.document.put({ choice: 'other' }),
    scanDocument: () => input.document.put({ choice: 'camera' }),
    useDocumentFile: (file) => input.document.put({ choice: 'file', file }),
    tryDocumentAgain: () => input.document.put({ choice: 'again' }),
    showFaceAgain: () => input.person.put({ choice: 'face' }),
    usePasskey: () => input.person.put({ choice: 'passkey' }),
    giveContact: (typed) => input.person.put({ choice: 'contact', typed }),
    leaveOutColours(leftOut) {
      colors.leaveOut(leftOut);
      welcome.refresh();
    },
    stopColours: () => colors.leaveOut(true),
    askToForget: () => stage.update({ dialog: 'forget' }),
    confirmForget() {
      stage.update({ dialog: null });
      memory.forget();
    },
    usePhone() {
      welcome.refresh({ busy: true });
      goOn.usePhone();
    },
    renewCode: goOn.renewCode,
    chooseNumber: input.number.put,
    giveReturnCode: input.returnCode.put,
    goBack() {
      work.stop();
      welcome.show();
    },
    goOn() {
      const { screen } = stage.state();
      if (!sendBack.now(screen) && screen.name === 'end') stage.update({ screen: { ...screen, isHeld: true } });
    },
    askToCancel: () => stage.update({ dialog: 'cancel' }),
    confirmCancel() {
      const hasFailed = hasFailedTry(claiming.plan()?.steps ?? [], parts.session.log());
      giveUp(getCancelCode(stage.state().screen, hasFailed));
    },
    showPrivacy: () => stage.update({ dialog: 'privacy' }),
    closeDialog: () => stage.update({ dialog: null }),
    attachVideo: input.video.set,
  };
  return guardActions(actions, stage.state);
}
