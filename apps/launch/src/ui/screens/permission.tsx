// Screens before and during the camera prompt, and for an unavailable camera.
import type { Asks, PermissionScreen } from '../../course/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { getExplanation } from '../headings.ts';
import { Button, FileButton } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

type PermissionProps = ScreenProps<PermissionScreen>;

export function PermissionView(props: PermissionProps) {
  const { screen, asks, words } = props;
  const { state } = screen;
  const canOnlyRetry = state === 'insecure' && !screen.document?.mayUseFile;
  const isFine = state === 'explain' || state === 'asking';
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      drawing={isFine ? 'camera' : 'cameraOff'}
      buttons={canOnlyRetry ? <RetryOnly {...props} /> : <PermissionButtons {...props} isFine={isFine} />}
    >
      <p class="lead">{words.text(getExplanation(screen)!)}</p>
      {isFine && screen.site !== undefined && <p>{words.text('permission.site', { site: screen.site })}</p>}
      {state === 'explain' && (
        <Facts
          facts={[
            ['camera', words.text('welcome.camera')],
            asks?.sharesSelfie
              ? ['send', words.text('welcome.sharesSelfie')]
              : ['lock', words.text(getPrivacyText(asks))],
          ]}
        />
      )}
    </ScreenFrame>
  );
}

/** Only an age check keeps nothing at all. */
function getPrivacyText(asks: Asks | null): TextKey {
  return !asks || asks.operation === 'AGE' ? 'welcome.private' : 'welcome.privateFace';
}

function PermissionButtons({ screen, actions, words, isFine }: PermissionProps & { isFine: boolean }) {
  return (
    <>
      <Button kind="primary" busy={screen.state === 'asking'} onPress={actions.askForCamera}>
        {words.text(isFine ? 'permission.ask' : 'action.retry')}
      </Button>
      {screen.document?.mayUseFile && (
        <FileButton onFile={actions.useDocumentFile} hint={words.text('document.fileHint')}>
          {words.text('document.useFile')}
        </FileButton>
      )}
      {!isFine && !screen.staysHere && <OtherDeviceButton actions={actions} words={words} />}
      <CancelButton actions={actions} words={words} />
    </>
  );
}

/** Without a secure context the page can neither hand the check off nor cancel it. */
function RetryOnly({ actions, words }: PermissionProps) {
  return (
    <Button kind="primary" onPress={actions.retry}>
      {words.text('action.retry')}
    </Button>
  );
}
