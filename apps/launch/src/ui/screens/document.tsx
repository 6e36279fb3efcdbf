// The choice of the document that somebody has, each with how to tell it.
import { DOCUMENT_KINDS, type DocumentKind } from '../../document/kinds.ts';
import type { Screen } from '../../flow/screens.ts';
import type { TextKey } from '../../i18n/index.ts';
import { Drawing } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';

const KINDS: Readonly<Record<DocumentKind, readonly [name: TextKey, hint: TextKey]>> = {
  passport: ['document.passport', 'document.passportHint'],
  card: ['document.card', 'document.cardHint'],
  licence: ['document.licence', 'document.licenceHint'],
};

export function DocumentView({ screen, actions, words }: ScreenProps<Extract<Screen, { name: 'document' }>>) {
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <>
          {screen.canUsePhone && (
            <Button kind="secondary" onPress={actions.usePhone}>
              {words.text('action.otherDevice')}
            </Button>
          )}
          <Button kind="quiet" onPress={actions.askToCancel}>
            {words.text('action.cancel')}
          </Button>
        </>
      }
    >
      <p class="lead">{words.text(explanationOf(screen)!)}</p>
      <div class="choices">
        {DOCUMENT_KINDS.map((kind) => (
          <button key={kind} type="button" class="choice" data-kind={kind} onClick={() => actions.chooseDocument(kind)}>
            <Drawing name={kind} />
            <span>
              <b>{words.text(KINDS[kind][0])}</b>
              <span class="hint">{words.text(KINDS[kind][1])}</span>
            </span>
          </button>
        ))}
      </div>
      <Facts facts={[['lock', words.text('document.private')]]} />
    </ScreenFrame>
  );
}
