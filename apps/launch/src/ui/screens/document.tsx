// The choice of the document that somebody has, each with how to tell it.

import type { Screen } from '../../course/screens.ts';
import { DOCUMENT_KINDS, type DocumentKind } from '../../document/kinds.ts';
import type { TextKey } from '../../i18n/index.ts';
import { Drawing } from '../drawings/drawing.tsx';
import { explanationOf } from '../headings.ts';
import { Facts } from '../parts/facts.tsx';
import { ScreenFrame, type ScreenProps } from '../parts/screen-frame.tsx';
import { CancelButton, OtherDeviceButton } from '../parts/ways-out.tsx';

const KINDS: Readonly<Record<DocumentKind, readonly [name: TextKey, hint: TextKey]>> = {
  passport: ['document.passport', 'document.passportHint'],
  card: ['document.card', 'document.cardHint'],
  licence: ['document.licence', 'document.licenceHint'],
};

export function DocumentView({ screen, asks, actions, words }: ScreenProps<Extract<Screen, { name: 'document' }>>) {
  const asksForAge = !asks || asks.operation === 'AGE';
  return (
    <ScreenFrame
      screen={screen}
      words={words}
      buttons={
        <>
          {screen.canUsePhone && <OtherDeviceButton actions={actions} words={words} />}
          <CancelButton actions={actions} words={words} />
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
      <Facts facts={[['lock', words.text(asksForAge ? 'document.private' : 'document.privateFace')]]} />
    </ScreenFrame>
  );
}
