import type { Actions, Asks, FrameObstacle, Screen } from '../course/screens.ts';
import type { Translator } from '../i18n/index.ts';
import { CaptureView } from './screens/capture.tsx';
import { ContactView } from './screens/contact.tsx';
import { DocumentCaptureView, DocumentHoldView, DocumentProblemView, DocumentView } from './screens/document.tsx';
import { EndView } from './screens/end.tsx';
import { HandoffView } from './screens/handoff.tsx';
import { MyAgeKeyView, PasskeyView } from './screens/passkey.tsx';
import { PermissionView } from './screens/permission.tsx';
import { NotRecognizedView, ProblemView, StoppedView } from './screens/problem.tsx';
import { ReturnCodeView } from './screens/return-code.tsx';
import { TakeOverView } from './screens/take-over.tsx';
import { WalletLinkView } from './screens/wallet-link.tsx';
import { WelcomeView } from './screens/welcome.tsx';
import { LoadingView, OpeningView, WaitView, WorkingView } from './screens/working.tsx';

interface ViewProps {
  screen: Screen;
  asks: Asks | null;
  actions: Actions;
  words: Translator;
  /** Obstacle that prevents a check in this frame. */
  obstacle: FrameObstacle | null;
  /** Announces a text; null when it is over. */
  onNotice(text: string | null): void;
}

export function ScreenView({ screen, obstacle, onNotice, ...rest }: ViewProps) {
  switch (screen.name) {
    case 'opening':
      return <OpeningView screen={screen} {...rest} />;
    case 'welcome':
      return <WelcomeView screen={screen} obstacle={obstacle} {...rest} />;
    case 'permission':
      return <PermissionView screen={screen} {...rest} />;
    case 'loading':
      return <LoadingView screen={screen} {...rest} />;
    case 'capture':
      return <CaptureView screen={screen} {...rest} />;
    case 'working':
      return <WorkingView screen={screen} {...rest} />;
    case 'problem':
      return <ProblemView screen={screen} {...rest} />;
    case 'handoff':
      return <HandoffView screen={screen} onNotice={onNotice} {...rest} />;
    case 'wallet_link':
      return <WalletLinkView screen={screen} onNotice={onNotice} {...rest} />;
    case 'take_over':
      return <TakeOverView screen={screen} {...rest} />;
    case 'return_code':
      return <ReturnCodeView screen={screen} {...rest} />;
    case 'stopped':
      return <StoppedView screen={screen} {...rest} />;
    case 'document':
      return <DocumentView screen={screen} {...rest} />;
    case 'document_hold':
      return <DocumentHoldView screen={screen} {...rest} />;
    case 'document_capture':
      return <DocumentCaptureView screen={screen} {...rest} />;
    case 'document_problem':
      return <DocumentProblemView screen={screen} {...rest} />;
    case 'not_recognized':
      return <NotRecognizedView screen={screen} {...rest} />;
    case 'wait':
      return <WaitView screen={screen} {...rest} />;
    case 'passkey':
      return <PasskeyView screen={screen} {...rest} />;
    case 'contact':
      return <ContactView screen={screen} {...rest} />;
    case 'my_age_key':
      return <MyAgeKeyView screen={screen} {...rest} />;
    case 'end':
      return <EndView screen={screen} {...rest} />;
  }
}
