// How to hold the side of a document that is asked for, and the ways to show it.
import type { Screen } from '../../course/screens.ts';
import { SideDrawing } from '../drawings/documents.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { FileButton } from '../parts/file-button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

export function DocumentHoldView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'document_hold' }>>) {
  const { kind, side, mayUseFile, canUsePhone } = screen;
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      picture={<SideDrawing kind={kind} side={side} />}
      buttons={
        <>
          <Button kind="primary" drawing="camera" onPress={actions.scanDocument}>
            {words.text('document.useCamera')}
          </Button>
          {mayUseFile && (
            <FileButton onFile={actions.useDocumentFile} hint={words.text('document.fileHint')}>
              {words.text('document.useFile')}
            </FileButton>
          )}
          {canUsePhone && <OtherDeviceButton actions={actions} words={words} />}
          <Button kind="quiet" onPress={actions.otherDocument}>
            {words.text('document.otherKind')}
          </Button>
          <CancelButton actions={actions} words={words} />
        </>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      <Facts
        facts={[
          ['lamp', words.text('hold.light')],
          ['document', words.text('hold.fingers')],
        ]}
      />
    </ScreenFrame>
  );
}
