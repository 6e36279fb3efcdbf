// How to hold the side of a document that is asked for, and the ways to show it.
import type { Screen } from '../../flow/screens.ts';
import { SideDrawing } from '../drawings/documents.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { FileButton } from '../parts/file-button.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

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
          {canUsePhone && (
            <Button kind="secondary" onPress={actions.usePhone}>
              {words.text('action.otherDevice')}
            </Button>
          )}
          <Button kind="quiet" onPress={actions.otherDocument}>
            {words.text('document.otherKind')}
          </Button>
          <Button kind="quiet" onPress={actions.askToCancel}>
            {words.text('action.cancel')}
          </Button>
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
